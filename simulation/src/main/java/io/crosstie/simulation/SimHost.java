// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** What a port asks of the process that it belongs to. */
public interface SimHost {
  /** Something arrived, or a doorbell rang: whoever waits in the poller is awake. */
  void arrived();

  /**
   * Something can be seen in shared memory from now on. That wakes nobody who waits in the poller,
   * but one who looks again and again finds it.
   */
  void visible();

  /**
   * The process may lose its processor here, in the middle of whatever it does, for any time: then
   * others run before this returns.
   */
  default void mayStop() {}

  /** A process that looks again and again, and that never stops. */
  static SimHost of(Runnable arrived) {
    return new SimHost() {
      @Override
      public void arrived() {
        arrived.run();
      }

      @Override
      public void visible() {
        arrived.run();
      }
    };
  }
}
