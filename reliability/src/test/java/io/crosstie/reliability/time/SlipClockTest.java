// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R19")
class SlipClockTest {
  private static final long MS = 1_000_000;
  private static final long START = -5 * MS; // raw time may be negative, as System.nanoTime

  private final SlipClock clock = new SlipClock(10 * MS, MS, () -> 0);

  @Test
  void runsWithRawTimeWhileTicksAreRegular() {
    for (long raw = START; raw < START + 1000 * MS; raw += 10 * MS) {
      assertEquals(raw, clock.onTick(raw));
    }
    assertEquals(0, clock.slips());
    assertEquals(0, clock.totalSlipNs());
    assertEquals(0, clock.lastSlipNs());
  }

  @Test
  void aPauseCountsAsOneNominalTick() {
    clock.onTick(START);
    assertEquals(START + MS, clock.onTick(START + 500 * MS));
    assertEquals(1, clock.slips());
    assertEquals(499 * MS, clock.totalSlipNs());
    assertEquals(START + 3 * MS, clock.onTick(START + 502 * MS));
    assertEquals(START + 4 * MS, clock.onTick(START + 514 * MS));
    assertEquals(11 * MS, clock.lastSlipNs());
    assertEquals(510 * MS, clock.totalSlipNs());
    assertEquals(2, clock.slips());
  }

  @Test
  void deadlinesMoveBySlips() {
    long now = clock.onTick(START);
    long deadline = now + 100 * MS;
    assertEquals(START + 100 * MS, clock.toRaw(deadline));
    now = clock.onTick(START + 5_000 * MS);
    assertTrue(now < deadline, "a pause fires no timer");
    assertEquals(START + 5_099 * MS, clock.toRaw(deadline));
  }

  @Test
  void anIntendedWaitIsNoSlip() {
    clock.onTick(START);
    clock.onWait(START + 800 * MS);
    assertEquals(START + 300 * MS, clock.onTick(START + 300 * MS), "woken early");
    clock.onWait(START + 900 * MS);
    assertEquals(START + 905 * MS, clock.onTick(START + 905 * MS), "overslept a little");
    assertEquals(0, clock.slips());
    clock.onWait(START + 1000 * MS);
    assertEquals(START + 1001 * MS, clock.onTick(START + 1100 * MS), "overslept by 100 ms");
    assertEquals(99 * MS, clock.totalSlipNs());
    assertEquals(START + 1002 * MS, clock.onTick(START + 1200 * MS), "counts for one tick only");
  }

  @Test
  void neverRunsBackwards() {
    clock.onTick(START + 10 * MS);
    assertEquals(START + 10 * MS, clock.onTick(START));
    assertEquals(START + 12 * MS, clock.onTick(START + 12 * MS));
  }

  @Test
  @Tag("R7")
  void jitterRisesAtOnceAndDecaysWithinASecond() {
    long raw = START;
    clock.onTick(raw);
    for (int i = 0; i < 20_000; i++) {
      clock.onTick(raw += 10_000);
    }
    assertEquals(10_000, clock.jitterNs());
    clock.onTick(raw += 4 * MS);
    assertEquals(4 * MS, clock.jitterNs());
    for (int i = 0; i < 20_000; i++) {
      clock.onTick(raw += 10_000);
    }
    assertTrue(clock.jitterNs() > 2 * MS, "after 0.2 s " + clock.jitterNs());
    for (int i = 0; i < 300_000; i++) {
      clock.onTick(raw += 10_000);
    }
    assertTrue(clock.jitterNs() < 200_000, "after 3.2 s " + clock.jitterNs());
    clock.onTick(raw += 700 * MS);
    assertEquals(10 * MS, clock.jitterNs(), "a slip counts as the threshold");
  }

  @Test
  void remembersWhenAPastTimeWasForHundredsOfSlips() {
    long raw = 0;
    long[] raws = new long[1_000];
    long[] effectives = new long[1_000];
    clock.onTick(raw);
    for (int i = 0; i < raws.length; i++) {
      raw += i % 3 == 0 ? 50 * MS : MS;
      effectives[i] = clock.onTick(raw);
      raws[i] = raw;
    }
    for (int i = raws.length - 1; i >= 0; i--) {
      long was = clock.wasRaw(effectives[i]);
      boolean remembered = i > raws.length - 3 * 256 + 3;
      assertTrue(remembered ? was == raws[i] : was <= raws[i], i + ": " + was + ", " + raws[i]);
    }
    assertEquals(effectives[999], clock.lastSlipAtNs());
  }

  @Test
  void refusesNonsense() {
    assertThrows(IllegalArgumentException.class, () -> new SlipClock(0, 0, () -> 0));
    assertThrows(IllegalArgumentException.class, () -> new SlipClock(1, 2, () -> 0));
    assertThrows(IllegalArgumentException.class, () -> new SlipClock(1, -1, () -> 0));
  }
}
