// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.Objects;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What an engine does when a duty cycle found nothing to do. Immutable; one may serve several
 * nodes, apart from {@link #custom}.
 *
 * <p>To block means to wait in the node's one poller, where all rails ring: it costs a system call
 * and a wake-up, some microseconds, and no processor time.
 */
public final class Idle {
  /**
   * An engine that keeps finding work soon after it ran dry spins that long before it blocks, in
   * nanoseconds.
   */
  private static final long MOST_SPIN_NS = 100_000;

  private static final long LEAST_SPIN_NS = 5_000;
  private static final long YIELD_NS = 20_000;

  private final String name;
  final long leastSpinNs;
  final long mostSpinNs;
  final long yieldNs;
  final boolean blocks;
  final @Nullable IntConsumer custom;

  private Idle(
      String name,
      long leastSpinNs,
      long mostSpinNs,
      long yieldNs,
      boolean blocks,
      @Nullable IntConsumer custom) {
    this.name = name;
    this.leastSpinNs = leastSpinNs;
    this.mostSpinNs = mostSpinNs;
    this.yieldNs = yieldNs;
    this.blocks = blocks;
    this.custom = custom;
  }

  /**
   * The default: spins for 5 to 100 microseconds, the longer the more often that found work lately,
   * then yields for a while, then blocks; where yields come back late, since others compute, it
   * blocks at once for some time. With fewer than three processors, or under a processor quota
   * (cgroup {@code cpu.max}), where a spinning thread takes time from the one it waits for, it only
   * yields and then blocks.
   */
  public static Idle adaptive() {
    return adaptive(CpuBudget.ofThisProcess());
  }

  static Idle adaptive(CpuBudget budget) {
    return budget.maySpin()
        ? new Idle("adaptive", LEAST_SPIN_NS, MOST_SPIN_NS, YIELD_NS, true, null)
        : new Idle("adaptive, no spinning: " + budget, 0, 0, YIELD_NS, true, null);
  }

  /** Never gives the processor away: the least delay, and one processor spent. */
  public static Idle spin() {
    return new Idle("spin", Long.MAX_VALUE, Long.MAX_VALUE, 0, false, null);
  }

  /** Blocks at once: the least processor time, and a wake-up more on every way. */
  public static Idle block() {
    return new Idle("block", 0, 0, 0, true, null);
  }

  /**
   * The application's own, called with the work count of every duty cycle, 0 if there was nothing
   * to do; for an Agrona {@code IdleStrategy} that is {@code Idle.custom(strategy::idle)}. It
   * cannot block in the poller, so what arrives is not noticed until it returns. Called on the
   * engine's thread only; use one for each node.
   */
  public static Idle custom(IntConsumer strategy) {
    return new Idle("custom", 0, 0, 0, false, Objects.requireNonNull(strategy, "strategy"));
  }

  @Override
  public String toString() {
    return name;
  }
}
