// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
    assertTrue(clock.wasLate());
    assertEquals(START + 3 * MS, clock.onTick(START + 502 * MS));
    assertFalse(clock.wasLate());
    assertEquals(499 * MS, clock.lastSlipNs());
    assertEquals(499 * MS, clock.totalSlipNs());
    assertEquals(1, clock.slips());
  }

  private long cycles(long rawNs, int cycles, long eachNs) {
    for (int i = 1; i <= cycles; i++) {
      long unused = clock.onTick(rawNs + i * eachNs);
    }
    return rawNs + cycles * eachNs;
  }

  @Test
  @Tag("R34")
  void workIsNoPauseHoweverLongDutyCyclesTake() {
    for (long eachNs = 3 * MS; eachNs < 900 * MS; eachNs = eachNs * 5 / 3) {
      SlipClock fresh = new SlipClock(2 * MS, MS / 2, () -> 0);
      long raw = START;
      long effective = fresh.onTick(raw);
      for (int i = 0; i < 100; i++) {
        raw += eachNs;
        effective = fresh.onTick(raw);
        assertTrue(fresh.wasLate(), "others are to be heard before they are judged");
      }
      assertTrue(raw - effective <= eachNs, eachNs + ": " + (raw - effective) + " behind");
      assertEquals(1, fresh.slips(), "the first of them, since nobody can know");
    }
  }

  @Test
  @Tag("R34")
  void dutyCyclesThatGrowLoseNothingLikeTheirSum() {
    SlipClock fresh = new SlipClock(2 * MS, MS / 2, () -> 0);
    long raw = START;
    long effective = fresh.onTick(raw);
    for (int i = 0; i < 1000; i++) {
      raw += MS + i * MS / 20;
      effective = fresh.onTick(raw);
    }
    assertTrue(raw - effective <= 51 * MS, (raw - effective) + " behind");
  }

  @Test
  @Tag("R34")
  void aPauseAmongLongDutyCyclesIsAPause() {
    clock.onTick(START);
    long raw = cycles(START, 100, 25 * MS);
    long before = clock.totalSlipNs();
    clock.onTick(raw + 5_000 * MS);
    assertEquals(4_975 * MS, clock.totalSlipNs() - before);
  }

  @Test
  @Tag("R34")
  void whatIsLongAndRareCostsASixteenthAtMost() {
    long raw = START;
    clock.onTick(raw);
    for (int i = 0; i < 50; i++) {
      raw = cycles(raw, 900, 10 * MS);
      raw += 500 * MS;
      clock.onTick(raw);
    }
    assertTrue(clock.totalSlipNs() <= (raw - START) / 16, "slips of " + clock.totalSlipNs());
    assertTrue(clock.slips() > 10, "they are pauses as well as work: " + clock.slips());
  }

  @Test
  @Tag("R19")
  void pausesAgainAndAgainCountASecondAtMost() {
    clock.onTick(START);
    for (int i = 1; i <= 10; i++) {
      long before = clock.toEffective(START + i * 5_000L * MS);
      assertTrue(clock.onTick(START + i * 5_000L * MS) <= before);
    }
    assertTrue(clock.totalSlipNs() >= 10 * 4_000 * MS);
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
    assertEquals(1, clock.slips());
    clock.onTick(START + 1400 * MS);
    assertEquals(2, clock.slips(), "counts for one tick only");
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
      raw = cycles(raw, 200, 10 * MS); // what was before is no measure any more
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
