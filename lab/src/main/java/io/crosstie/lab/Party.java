// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonObject;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** One side of what carries the messages, in the process that sends or receives them. */
interface Party extends AutoCloseable {
  /** Takes delivered messages, on the thread that receives. */
  interface Delivery {
    void take(MemorySegment memory, long offset, long length);
  }

  /** Waits until messages can be sent. */
  void awaitUp();

  /**
   * Sends one message if there is room. Always called on the same thread.
   *
   * @return whether it was taken; if not, the same message must be offered again before another
   */
  boolean offer(int stream, MemorySegment message);

  /** Hands out what comes, to one taker per stream, until the party is closed. */
  void receive(List<? extends Delivery> takers);

  /**
   * Round trips of small messages, one at a time, beside everything else; not for every party.
   *
   * @param high of high priority, or as all else
   * @param gapNs between two of them
   * @return in milliseconds
   */
  default List<Double> tripsMs(boolean high, int count, long gapNs) {
    throw new UnsupportedOperationException("no round trips");
  }

  /** What it counts by itself. */
  JsonObject counters();

  @Override
  void close();
}
