// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.RailAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Random;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R23")
class StatelessCookiesTest {
  private static final long SECOND = 1_000_000_000L;
  private static final RailAddress FROM = new RailAddress("udp://198.18.1.1:7400");

  private final StatelessCookies cookies = new StatelessCookies(new Random(1));

  @Test
  void tellsHowLongACookieWasAway() {
    for (long now : new long[] {0, -5 * SECOND, Long.MAX_VALUE - 10}) {
      Cookie cookie = cookies.issue(FROM, 7, now);
      assertEquals(0, cookies.ageNs(cookie, FROM, 7, now));
      assertEquals(12_345, cookies.ageNs(cookie, FROM, 7, now + 12_345));
      assertEquals(20 * SECOND, cookies.ageNs(cookie, FROM, 7, now + 20 * SECOND));
    }
  }

  @Test
  void takesNoneThatIsOldStolenOrForged() {
    Cookie cookie = cookies.issue(FROM, 7, SECOND);
    assertEquals(-1, cookies.ageNs(cookie, FROM, 7, 22 * SECOND), "too old");
    assertEquals(-1, cookies.ageNs(cookie, FROM, 7, 0), "from the future");
    assertEquals(-1, cookies.ageNs(cookie, FROM, 8, SECOND), "of another incarnation");
    RailAddress other = new RailAddress("udp://198.18.1.1:7401");
    assertEquals(-1, cookies.ageNs(cookie, other, 7, SECOND), "from elsewhere");
    assertEquals(-1, new StatelessCookies(new Random(2)).ageNs(cookie, FROM, 7, SECOND));
    assertEquals(-1, cookies.ageNs(Cookie.EMPTY, FROM, 7, SECOND));
    for (int i = 0; i < cookie.length(); i++) {
      byte[] bytes = cookie.toByteArray();
      bytes[i] ^= 1;
      assertEquals(-1, cookies.ageNs(Cookie.of(bytes), FROM, 7, SECOND), "byte " + i);
    }
  }

  /** As the platform's own does it, so that nothing of the construction is left out. */
  @Test
  void theKeyedHashIsHmac() throws GeneralSecurityException {
    Random random = new Random(1);
    long time = SECOND + random.nextLong();
    byte[] key = new byte[32];
    random.nextBytes(key);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    byte[] from = FROM.text().getBytes(StandardCharsets.US_ASCII);
    mac.update(ByteBuffer.allocate(16).putLong(7).putLong(time).array());
    byte[] hash = mac.doFinal(from);
    byte[] expected = ByteBuffer.allocate(8 + hash.length).putLong(time).put(hash).array();
    assertEquals(Cookie.of(expected), cookies.issue(FROM, 7, SECOND));
  }
}
