// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.RailAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Cookies that say by themselves whether they are genuine (R23): the time, and a keyed hash over
 * who asks, from where and when, so that nothing has to be remembered before it comes back. The
 * time also tells how long that took.
 */
final class StatelessCookies {
  private static final long MAX_AGE_NS = 20_000_000_000L;

  private final Mac mac;

  /** Nobody learns from a cookie for how long this host has been up. */
  private final long originNs;

  StatelessCookies(RandomGenerator random) {
    originNs = random.nextLong();
    byte[] key = new byte[32];
    random.nextBytes(key);
    try {
      mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(key, "HmacSHA256"));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every Java platform has HmacSHA256", e);
    }
  }

  /** A cookie for that sender. */
  Cookie issue(RailAddress from, long incarnation, long nowNs) {
    return of(from, incarnation, nowNs + originNs);
  }

  private Cookie of(RailAddress from, long incarnation, long time) {
    byte[] text = from.text().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer message = ByteBuffer.allocate(16 + text.length);
    message.putLong(incarnation).putLong(time).put(text);
    byte[] hash = mac.doFinal(message.array());
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
