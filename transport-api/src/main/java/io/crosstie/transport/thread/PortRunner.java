// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs the loop of one port beside the engine: a thread ({@link PortThread}), or whoever has a
 * schedule of his own. Called by the engine's thread, but for {@link #nowNs()}, which the loop
 * calls.
 */
public interface PortRunner {

  /** Makes one for each port that is opened. */
  interface Factory {
    /**
     * One that runs nothing yet.
     *
     * @throws RailException if there is no poller to be had
     */
    PortRunner create() throws RailException;
  }

  /** Where it waits for the loop. */
  Poller poller();

  /** A ring of that many bytes, a power of two, between the engine and the loop. */
  default PacketRing ring(int capacity) {
    return new PacketRing(capacity);
  }

  /** The time, for the driver; by any clock that does not go backwards. */
  long nowNs();

  /**
   * Begins.
   *
   * @param name for people
   * @throws RailException if it cannot; nothing runs then
   */
  void start(String name, PortLoop loop) throws RailException;

  /**
   * Takes the lock that the loop holds while it uses the driver; waits a moment if it must.
   *
   * @return whether it is taken
   */
  boolean tryLock(ReentrantLock lock);

  /**
   * Waits a moment for the loop to end, which it does when it finds its port closed.
   *
   * @return whether it has ended
   */
  boolean awaitEnd();

  /** Ends what was not started. */
  void discard();
}
