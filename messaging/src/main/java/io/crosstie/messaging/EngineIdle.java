// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.function.IntConsumer;
import java.util.function.LongSupplier;

/**
 * An {@link Idle} at work: how long one engine has had nothing to do, and what spinning brought it
 * lately.
 */
final class EngineIdle {
  /** What to do now. */
  enum Step {
    /** Go on at once. */
    GO_ON,
    /** Spin once. */
    SPIN,
    /** Yield once. */
    YIELD,
    /** Block in the poller. */
    BLOCK
  }

  private final Idle idle;
  private final LateYields lateYields;
  private long spinNs;
  private long idleSinceNs;
  private boolean isIdle;
  private boolean blocked;

  /** There was a yield since none was late; spares duty cycles without one the look. */
  private boolean mayBeLate;

  /**
   * Of one engine.
   *
   * @param clock the engine's
   */
  EngineIdle(Idle idle, LongSupplier clock) {
    this.idle = idle;
    this.lateYields = new LateYields(clock);
    this.spinNs = idle.mostSpinNs;
  }

  /** {@link #next}, and {@link #pass}, unless it is to block. */
  Step after(int work, long nowNs) {
    Step step = next(work, nowNs);
    if (step == Step.BLOCK) {
      return step;
    }
    pass(step, nowNs);
    return Step.GO_ON;
  }

  /**
   * After a duty cycle: what is to be done.
   *
   * @param work what the cycle did, 0 for nothing
   * @param nowNs the engine's clock at the cycle
   */
  Step next(int work, long nowNs) {
    IntConsumer custom = idle.custom;
    if (custom != null) {
      custom.accept(work);
      return Step.GO_ON;
    }
    if (work > 0) {
      if (isIdle) {
        // Work that came while we spun says spin on; work that came after we blocked says spin
        // less.
        spinNs =
            blocked
                ? Math.max(idle.leastSpinNs, spinNs / 2)
                : Math.min(idle.mostSpinNs, saturatedDouble(spinNs));
      }
      isIdle = false;
      blocked = false;
      return Step.GO_ON;
    }
    if (!isIdle) {
      isIdle = true;
      idleSinceNs = nowNs;
    }
    long idleNs = nowNs - idleSinceNs;
    boolean mayWaitAwake = waitsAwake(nowNs);
    if (idleNs < spinNs && mayWaitAwake) {
      return Step.SPIN;
    }
    if (idleNs - spinNs < idle.yieldNs && mayWaitAwake) {
      return Step.YIELD;
    }
    if (idle.blocks) {
      blocked = true;
      return Step.BLOCK;
    }
    return Step.GO_ON;
  }

  /** Whether it spins or yields before it blocks, if it blocks: not where others compute. */
  boolean waitsAwake(long nowNs) {
    if (!idle.blocks) {
      return true;
    }
    if (mayBeLate) {
      mayBeLate = lateYields.lately(nowNs);
    }
    return !mayBeLate && idle.mostSpinNs + idle.yieldNs > 0;
  }

  /** Passes a moment, if that is the step. */
  void pass(Step step, long nowNs) {
    switch (step) {
      case SPIN -> pause();
      case YIELD -> {
        lateYields.yieldOnce(nowNs);
        mayBeLate = true;
      }
      case GO_ON, BLOCK -> {}
    }
  }

  /** A virtual thread that spins would keep its carrier from the others. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private static void pause() {
    if (Thread.currentThread().isVirtual()) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }

  /** How long it spins now before it does anything else, in nanoseconds. */
  long spinNs() {
    return spinNs;
  }

  private static long saturatedDouble(long value) {
    return value > Long.MAX_VALUE / 2 ? Long.MAX_VALUE : 2 * value;
  }
}
