// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Who may take messages out of a {@link ReceiveQueue}: the thread that polls, and long after the
 * end of the connection the engine, which drops what nobody has polled.
 *
 * <p>As long as the connection lives the engine never asks, so a poll says that it is there by two
 * plain stores. Afterwards both sides use an atomic step. The engine asks {@link #end seconds after
 * the end} only: a poll that began before has long been seen by then, or is over.
 */
final class PollGuard {
  private static final VarHandle HOLDER;

  static {
    try {
      HOLDER = MethodHandles.lookup().findVarHandle(PollGuard.class, "holder", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int NOBODY = 0;
  private static final int POLL = 1;
  private static final int ENGINE = 2;

  @SuppressWarnings("unused") // through HOLDER
  private int holder = NOBODY;

  private volatile boolean ended;

  /** The polling thread begins; false if the engine drops what there is at this moment. */
  boolean enter() {
    if (ended) {
      return HOLDER.compareAndSet(this, NOBODY, POLL);
    }
    HOLDER.setOpaque(this, POLL);
    return true;
  }

  /** Whoever has it goes. */
  void leave() {
    HOLDER.setRelease(this, NOBODY);
  }

  /** The engine: the connection is over. */
  void end() {
    ended = true;
  }

  /** The engine, seconds after the end; false if somebody polls. */
  boolean tryTake() {
    return HOLDER.compareAndSet(this, NOBODY, ENGINE);
  }
}
