// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.JsonObject;
import java.lang.foreign.MemorySegment;

/** One side of what carries the messages, in the process that sends or receives them. */
interface Party extends AutoCloseable {
  /** Takes delivered messages, on the thread that receives. */
  interface Delivery {
    void take(MemorySegment memory, long offset, long length);
  }

  /** Waits until messages can be sent. */
  void awaitUp();

  /**
   * Sends one message and waits as long as there is no room. One thread per stream.
   *
   * @return whether it was taken; false if it was not and never will be, since the party is
   *     stopping
   */
  boolean put(int stream, MemorySegment message);

  /** Hands out what comes until the party stops. One thread per stream. */
  void receive(int stream, int messageBytes, Delivery delivery);

  /** Lets the calls above return soon. */
  void stop();

  /** What it counts by itself. */
  JsonObject counters();

  @Override
  void close();
}
