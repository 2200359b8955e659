// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/**
 * What a layer above the node does once in each of its duty cycles, see {@link
 * NodeConfigBuilder#cycleHook}.
 *
 * <p>It is called by whichever thread runs the duty cycle, one at a time, and sees all that the
 * call before did. While it runs nothing moves, so it has to be short, some microseconds: it must
 * neither wait nor compute for long. It may offer, {@link Channel#poll poll} and ask; {@link
 * Node#idle} returns at once, a poll does not drive the protocol, and {@link Node#close} is
 * refused. An exception or error ends that call and nothing else; some in a row count as work done.
 * A hook that does several things contains what each throws, and tells it by {@link #takeError}. It
 * and a call that takes longer than a millisecond are counted by {@link NodeCounter#HOOK_ERRORS}
 * and {@link NodeCounter#HOOK_OVERRUNS}; the next duty cycle calls again. Errors, and that many of
 * some calls were long, are told in the log the first time, the second, the fourth and so on.
 *
 * <p>A node that has nothing to do runs no duty cycles. {@link Node#wakeUp()} has this called, from
 * any thread.
 */
@FunctionalInterface
public interface CycleHook {
  /**
   * A duty cycle ends, or {@link Node#wakeUp()} was called.
   *
   * @param nowNs the time of that, in nanoseconds of the node's clock ({@link System#nanoTime})
   * @return work done: 0 if there was nothing to do; more keeps the engine awake
   */
  int onCycle(long nowNs);

  /**
   * What went wrong in the last call and has not ended it; asked after each, until there is nothing
   * or as often as is good for one cycle. It is counted and told like what is thrown, but what the
   * call has returned stands.
   *
   * @return null for nothing
   */
  default @Nullable Throwable takeError() {
    return null;
  }
}
