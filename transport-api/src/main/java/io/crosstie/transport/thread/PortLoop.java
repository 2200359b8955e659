// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is done with a port besides the engine, in steps. Between two of them any time may pass, and
 * whatever the engine does may happen; a step itself may hang in the driver.
 */
public interface PortLoop {

  /** What comes before the next step. */
  enum Next {
    /** Nothing. */
    STEP(0),
    /** A short pause that nobody ends: the engine is behind, or the driver has no room. */
    PAUSE(TimeUnit.MICROSECONDS.toNanos(50)),
    /** A wait in the poller. */
    WAIT(TimeUnit.MILLISECONDS.toNanos(100)),
    /** There is no next step: {@link #end} is. */
    OVER(0);

    private final long longestNs;

    Next(long longestNs) {
      this.longestNs = longestNs;
    }

    /** How long it takes at most, in nanoseconds. */
    public long longestNs() {
      return longestNs;
    }
  }

  /**
   * Takes the next step. What it throws is the end as {@link Next#OVER} is.
   *
   * @param timedOut whether the wait before it was ended by time alone
   */
  Next step(boolean timedOut);

  /**
   * The last thing of all: closes the driver's port and tells the engine.
   *
   * @param failure what a step threw; null if none did
   */
  void end(@Nullable Throwable failure);
}
