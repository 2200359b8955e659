// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.EngineIdle.Step;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Spin, yield, block, and how the spinning adapts; the clock is the test's. */
final class EngineIdleTest {
  private static final CpuBudget ROOMY = new CpuBudget(8, false);
  private long now;

  private long nsUntilBlock(EngineIdle idle) {
    long begin = now;
    while (idle.after(0, now) != Step.BLOCK) {
      now += 1000;
    }
    return now - begin;
  }

  @Test
  void adaptiveSpinsLessWhenSpinningIsInVain() {
    var idle = new EngineIdle(Idle.adaptive(ROOMY), () -> now);
    assertEquals(120_000, nsUntilBlock(idle));
    for (int i = 0; i < 10; i++) {
      assertEquals(Step.GO_ON, idle.after(1, now)); // it had to block before there was work
      long unused = nsUntilBlock(idle);
    }
    assertEquals(5_000, idle.spinNs());
  }

  @Test
  void adaptiveSpinsMoreWhenItPays() {
    var idle = new EngineIdle(Idle.adaptive(ROOMY), () -> now);
    for (int i = 0; i < 10; i++) {
      long unused = nsUntilBlock(idle);
      Step step = idle.after(1, now);
      assertEquals(Step.GO_ON, step);
    }
    for (int i = 0; i < 10; i++) {
      assertEquals(Step.GO_ON, idle.after(0, now));
      now += 1000;
      assertEquals(Step.GO_ON, idle.after(1, now));
    }
    assertEquals(100_000, idle.spinNs());
  }

  @Test
  void adaptiveWithTwoProcessorsBlocksSoon() {
    assertEquals(
        20_000, nsUntilBlock(new EngineIdle(Idle.adaptive(new CpuBudget(2, false)), () -> now)));
  }

  /** Beside threads that compute a yield takes a slice of theirs: then it blocks at once. */
  @Test
  void lateYieldsAreRepeatedLessAndLess() {
    long[] yieldNs = {4_000_000};
    var idle =
        new EngineIdle(
            Idle.adaptive(new CpuBudget(2, false)),
            () -> {
              now += yieldNs[0]; // asked for once, when the yield has come back
              return now;
            });
    for (int factor = 20; factor <= 320; factor *= 4) {
      assertEquals(Step.GO_ON, idle.after(0, now));
      assertEquals(Step.BLOCK, idle.after(0, now));
      now += factor * 4_000_000L - 1;
      assertEquals(Step.GO_ON, idle.after(1, now));
      assertEquals(Step.BLOCK, idle.after(0, now), "not in the waits after that either");
      now += 1;
      assertEquals(Step.GO_ON, idle.after(1, now));
    }
    yieldNs[0] = 1_000;
    double untilBlockNs = nsUntilBlock(idle);
    assertEquals(20_000, untilBlockNs, 2_000, "it goes on where processors are free again");
  }

  /** Nor does a duty cycle look again and again at memory that others write. */
  @Test
  void waitsAwakeOnlyWhereNobodyElseComputes() {
    long[] yieldNs = {4_000_000};
    var idle =
        new EngineIdle(
            Idle.adaptive(new CpuBudget(2, false)),
            () -> {
              now += yieldNs[0];
              return now;
            });
    assertTrue(idle.waitsAwake(now));
    assertEquals(Step.GO_ON, idle.after(0, now)); // a yield that comes back late
    assertFalse(idle.waitsAwake(now));
    now += 20 * 4_000_000L;
    assertTrue(idle.waitsAwake(now));
    assertTrue(new EngineIdle(Idle.spin(), () -> now).waitsAwake(now));
    assertFalse(new EngineIdle(Idle.block(), () -> now).waitsAwake(now));
  }

  @Test
  void blocksAgainAfterWakeUpInVain() {
    var idle = new EngineIdle(Idle.block(), () -> now);
    assertEquals(Step.BLOCK, idle.after(0, 0));
    assertEquals(Step.BLOCK, idle.after(0, 10));
    assertEquals(Step.GO_ON, idle.after(1, 20));
    assertEquals(Step.BLOCK, idle.after(0, 30));
  }

  @Test
  void spinNeverBlocks() {
    var idle = new EngineIdle(Idle.spin(), () -> now);
    for (int i = 0; i < 1000; i++) {
      assertEquals(Step.GO_ON, idle.after(0, i * 1_000_000_000L));
    }
  }

  @Test
  void customIsToldTheWork() {
    List<Integer> told = new ArrayList<>();
    var idle = new EngineIdle(Idle.custom(told::add), () -> now);
    assertEquals(Step.GO_ON, idle.after(0, 0));
    assertEquals(Step.GO_ON, idle.after(3, 1));
    assertEquals(List.of(0, 3), told);
  }
}
