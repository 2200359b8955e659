// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Counters;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Calls the hooks of a node in each duty cycle, and outlives what they do. By the engine. */
final class CycleHooks {
  /** Many times what a duty cycle takes. */
  private static final long LONG_NS = 1_000_000L;

  /** So many calls are looked at together. */
  static final int WINDOW = 64;

  /**
   * So many long ones among them are worth a word. Fewer are the system's: a thread that has to
   * leave its processor, or a JVM that is still cold.
   */
  static final int OFTEN = WINDOW / 4;

  /**
   * A call that throws may have done something before that somebody waits for, so it counts as work
   * and is told. So many in a row do, and no more: one that always throws would never let the node
   * rest.
   */
  static final int MOST_ERRORS = 8;

  /** So many errors are taken from a hook after a call; what is left after the next one. */
  static final int MOST_TAKEN = 16;

  private final String node;
  private final CycleHook[] hooks;

  /** Calls of each that threw in a row; no more are counted than make a difference. */
  private final int[] errors;

  private final LongSupplier clock;
  private final Counters<NodeCounter> counters;
  private boolean running;
  private int calls; // of this window
  private int longCalls;
  private long longWindows;

  /**
   * Of one node.
   *
   * @param hooks called in this order
   */
  CycleHooks(
      String node, List<CycleHook> hooks, LongSupplier clock, Counters<NodeCounter> counters) {
    this.node = node;
    this.hooks = hooks.toArray(CycleHook[]::new);
    this.errors = new int[hooks.size()];
    this.clock = clock;
    this.counters = counters;
  }

  /** Whether one of them runs; for the thread that runs the duty cycle. */
  boolean isRunning() {
    return running;
  }

  /** As {@link #run(long, long)}, from now on. */
  int run(long nowNs) {
    return run(nowNs, clock.getAsLong());
  }

  /**
   * The end of a duty cycle, or between two.
   *
   * @param nowNs of the cycle
   * @param beginNs when it begins; a little before is right, too, and spares a look at the clock
   * @return what they did, 0 for nothing
   */
  int run(long nowNs, long beginNs) {
    int work = 0;
    long fromNs = beginNs;
    for (int i = 0; i < hooks.length; i++) {
      work += call(i, nowNs);
      long toNs = clock.getAsLong();
      judge(hooks[i], toNs - fromNs);
      fromNs = toNs;
    }
    return work;
  }

  private int call(int which, long nowNs) {
    int work = 0;
    running = true;
    try {
      work = Math.max(0, hooks[which].onCycle(nowNs));
      takeErrors(hooks[which]);
      errors[which] = 0;
    } catch (Throwable t) {
      onError(hooks[which], t);
      if (errors[which] < MOST_ERRORS) {
        errors[which]++;
        work = Math.max(work, 1);
      }
    } finally {
      running = false;
    }
    return work;
  }

  private void takeErrors(CycleHook hook) {
    Throwable error = hook.takeError();
    for (int taken = 1; error != null; taken++) {
      onError(hook, error);
      error = taken < MOST_TAKEN ? hook.takeError() : null;
    }
  }

  private void onError(CycleHook hook, Throwable error) {
    counters.increment(NodeCounter.HOOK_ERRORS);
    tell(counters.get(NodeCounter.HOOK_ERRORS), hook, "threw", error);
  }

  private void judge(CycleHook hook, long tookNs) {
    if (tookNs > LONG_NS) {
      counters.increment(NodeCounter.HOOK_OVERRUNS);
      longCalls++;
    }
    if (++calls == WINDOW) {
      if (longCalls >= OFTEN) {
        tell(
            ++longWindows,
            hook,
            "or another took more than 1 ms in "
                + longCalls
                + " of "
                + WINDOW
                + " calls, while nothing else moved; have it do less at a time",
            null);
      }
      calls = 0;
      longCalls = 0;
    }
  }

  private void tell(long times, CycleHook hook, String what, @Nullable Throwable error) {
    try {
      if (Long.bitCount(times) == 1) {
        EngineLog.log(
            System.Logger.Level.WARNING,
            "node " + node + ": cycle hook " + hook + " " + what + "; time " + times,
            error);
      }
    } catch (RuntimeException | Error e) {
      // it is counted, and perhaps there is no memory to say more
    }
  }
}
