// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who may take messages out of a {@link ReceiveQueue}: the thread that polls, and long after the
 * end of the connection the engine, which drops what nobody has polled.
 *
 * <p>Either side says that it is there, and then looks whether the other is (Dekker's rule), which
 * takes a fence on both sides. As long as the connection lives the engine never asks, so a poll
 * that says so first and sees no end after that needs none: {@link #tryTake} comes seconds after
 * {@link #end}, and what was stored before that was seen is long visible by then.
 */
final class PollGuard {
  private static final VarHandle POLLS;
  private static final VarHandle DROPS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      POLLS = lookup.findVarHandle(PollGuard.class, "polls", boolean.class);
      DROPS = lookup.findVarHandle(PollGuard.class, "drops", boolean.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through POLLS
  private boolean polls;

  @SuppressWarnings("unused") // through DROPS
  private boolean drops;

  private volatile boolean ended;

  /** The polling thread begins; false if the engine drops what there is at this moment. */
  boolean enter() {
    POLLS.setOpaque(this, true);
    if (ended) {
      VarHandle.fullFence();
      if ((boolean) DROPS.getAcquire(this)) {
        POLLS.setRelease(this, false);
        return false;
      }
    }
    return true;
  }

  /** The polling thread goes. */
  void leave() {
    POLLS.setRelease(this, false);
  }

  /** The engine: the connection is over. */
  void end() {
    ended = true;
  }

  /** The engine, seconds after the end; false if somebody polls. */
  boolean tryTake() {
    DROPS.setOpaque(this, true);
    VarHandle.fullFence();
    if ((boolean) POLLS.getAcquire(this)) {
      DROPS.setRelease(this, false);
      return false;
    }
    return true;
  }

  /** The engine goes. */
  void giveBack() {
    DROPS.setRelease(this, false);
  }
}
