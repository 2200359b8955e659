// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.util.concurrent.locks.LockSupport;

/**
 * Waits on a thread that may be the application's: an interrupt neither ends them nor makes them
 * return at once, and the thread's interrupt flag is set afterwards if it was set before or
 * meanwhile. All are bounded by a time. Any thread.
 */
public final class Uninterruptibly {
  private Uninterruptibly() {}

  /** Something that is waited for. */
  @FunctionalInterface
  public interface Wait {
    /**
     * Waits.
     *
     * @param nanos at most, may be 0 or less
     * @return whether it has come
     */
    boolean await(long nanos) throws InterruptedException;
  }

  /**
   * Waits for something, again after every interrupt.
   *
   * @param nanos at most
   * @return whether it has come
   */
  public static boolean await(long nanos, Wait wait) {
    long beginNs = System.nanoTime();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return wait.await(nanos - (System.nanoTime() - beginNs));
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      restore(interrupted);
    }
  }

  /**
   * Before this thread looks at what it would park for: takes the interrupt away, which would make
   * every park return at once, and the permit that came with it.
   *
   * @return whether there was one, for {@link #restore}
   */
  public static boolean clear() {
    if (!Thread.currentThread().isInterrupted()) {
      return false;
    }
    LockSupport.park(); // returns at once, with the permit
    return Thread.interrupted();
  }

  /** Afterwards: what {@link #clear} has taken away is the application's. */
  public static void restore(boolean interrupted) {
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
