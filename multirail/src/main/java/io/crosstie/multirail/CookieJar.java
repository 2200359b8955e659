// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.RailAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.random.RandomGenerator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Stateless cookies (R23): a keyed hash over who asks, from where and when, so that nothing has to
 * be remembered before it comes back.
 */
final class CookieJar {
  private static final long EPOCH_NS = 10_000_000_000L;

  private final Mac mac;

  CookieJar(RandomGenerator random) {
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
  Cookie bake(RailAddress from, long incarnation, long nowNs) {
    return of(from, incarnation, Math.floorDiv(nowNs, EPOCH_NS));
  }

  private Cookie of(RailAddress from, long incarnation, long epoch) {
    byte[] text = from.text().getBytes(StandardCharsets.US_ASCII);
    ByteBuffer message = ByteBuffer.allocate(16 + text.length);
    message.putLong(incarnation).putLong(epoch).put(text);
    return Cookie.of(mac.doFinal(message.array()));
  }

  /** Whether it was baked here for that sender, 10 to 20 seconds ago at most. */
  boolean isGenuine(Cookie cookie, RailAddress from, long incarnation, long nowNs) {
    long epoch = Math.floorDiv(nowNs, EPOCH_NS);
    return cookie.equals(of(from, incarnation, epoch))
        || cookie.equals(of(from, incarnation, epoch - 1));
  }
}
