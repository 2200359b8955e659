// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.RailAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.random.RandomGenerator;

/**
 * Cookies that say by themselves whether they are genuine (R23): the time, and a keyed hash over
 * who asks, from where and when, so that nothing has to be remembered before it comes back. The
 * time also tells how long that took.
 */
final class StatelessCookies {
  private static final long MAX_AGE_NS = 20_000_000_000L;

  private static final int BLOCK_BYTES = 64;

  private final MessageDigest sha256;

  /** The key, padded to a block of SHA-256, as HMAC (RFC 2104) hashes it within and without. */
  private final byte[] innerKey = new byte[BLOCK_BYTES];

  private final byte[] outerKey = new byte[BLOCK_BYTES];

  /** Nobody learns from a cookie for how long this host has been up. */
  private final long originNs;

  StatelessCookies(RandomGenerator random) {
    originNs = random.nextLong();
    byte[] key = new byte[32];
    random.nextBytes(key);
    for (int i = 0; i < BLOCK_BYTES; i++) {
      byte k = i < key.length ? key[i] : 0;
      innerKey[i] = (byte) (k ^ 0x36);
      outerKey[i] = (byte) (k ^ 0x5c);
    }
    try {
      sha256 = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }

  /**
   * HMAC-SHA256. By javax.crypto.Mac it would cost every process some 30 ms of processor time that
   * no other part of this library causes: the platform looks at all providers of ciphers first.
   */
  private byte[] mac(byte[] message) {
    sha256.reset(); // the last one may have run out of memory half-way
    sha256.update(innerKey);
    byte[] inner = sha256.digest(message);
    sha256.update(outerKey);
    return sha256.digest(inner);
  }

  /** A cookie for that sender. */
  Cookie issue(RailAddress from, long incarnation, long nowNs) {
    return of(from, incarnation, nowNs + originNs);
  }

  private Cookie of(RailAddress from, long incarnation, long time) {
    byte[] text = from.text().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer message = ByteBuffer.allocate(16 + text.length);
    message.putLong(incarnation).putLong(time).put(text);
    byte[] hash = mac(message.array());
    return Cookie.of(ByteBuffer.allocate(8 + hash.length).putLong(time).put(hash).array());
  }

  /**
   * How long ago it was issued here for that sender.
   *
   * @return nanoseconds from 0 to 20 s, or -1 if it was not, or longer ago
   */
  long ageNs(Cookie cookie, RailAddress from, long incarnation, long nowNs) {
    if (cookie.length() <= 8) {
      return -1;
    }
    long time = ByteBuffer.wrap(cookie.toByteArray()).getLong();
    long age = nowNs + originNs - time;
    boolean genuine = age >= 0 && age <= MAX_AGE_NS && cookie.equals(of(from, incarnation, time));
    return genuine ? age : -1;
  }
}
