// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

/**
 * What was accepted on a channel and not polled when its connection ended. The application may
 * still poll it. The engine's thread.
 */
public interface FormerMessages {
  /** Told of each run of messages that is dropped. */
  interface Dropped {
    /** Messages {@code first} to {@code last}, at least one. */
    void onDropped(long first, long last);
  }

  /** Bytes of the node's pool that its large messages take, without one that is being polled. */
  long largeBytes();

  /**
   * Gives their memory back, apart from that of a message that a handler has at hand. They are
   * never delivered then: a poll goes on behind them.
   */
  void dropLarge(Dropped told);
}
