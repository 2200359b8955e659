// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WatchdogTest {
  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(Watchdog.LOOK_MS);

  private final Watchdog watchdog = new Watchdog();
  private long nowNs = Long.MAX_VALUE - LOOK_NS / 2; // clocks may wrap

  /** How many looks, of at most so many, it takes to find that the thread hangs. */
  private int looksUntilItHangs(int most) {
    for (int look = 1; look <= most; look++) {
      nowNs += LOOK_NS;
      if (watchdog.hangs(nowNs)) {
        return look;
      }
    }
    return most + 1;
  }

  @Test
  void noTurnInTwelveLooksIsOneTooMany() {
    assertEquals(Watchdog.LOOKS + 1, looksUntilItHangs(100), "the first look only learns");
  }

  @Test
  void oneTurnBeginsTheCountAnew() {
    assertEquals(Watchdog.LOOKS + 1, looksUntilItHangs(Watchdog.LOOKS));
    watchdog.turn();
    assertEquals(Watchdog.LOOKS + 1, looksUntilItHangs(100));
  }

  @Test
  void looksTooCloseTogetherAreNone() {
    assertFalse(watchdog.hangs(nowNs));
    for (int i = 1; i < 1000; i++) {
      assertFalse(watchdog.hangs(nowNs + LOOK_NS * i / 1000));
    }
    assertEquals(Watchdog.LOOKS, looksUntilItHangs(100));
  }

  @Test
  void aPauseOfTheProcessIsOneLook() {
    assertFalse(watchdog.hangs(nowNs));
    nowNs += TimeUnit.HOURS.toNanos(1);
    assertFalse(watchdog.hangs(nowNs));
    watchdog.turn();
    nowNs += TimeUnit.HOURS.toNanos(1);
    assertFalse(watchdog.hangs(nowNs));
  }

  @Test
  void aThreadThatTakesTurnsDoesNotHang() {
    for (int i = 0; i < 10_000; i++) {
      watchdog.turn();
      nowNs += LOOK_NS;
      assertFalse(watchdog.hangs(nowNs));
    }
    assertTrue(looksUntilItHangs(100) <= 100, "until it does");
  }
}
