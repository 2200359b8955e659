// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.Channel;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * What client and server say to each other beside the data, on a channel of its own. Four numbers
 * in network order: what it is, and three whose meaning depends on that.
 */
record Control(long kind, long a, long b, long c) {
  /** Client: send everything back. */
  static final long ECHO = 1;

  /** Client: count what comes from now on. */
  static final long COUNT = 2;

  /** Client: send messages of {@code a} bytes, {@code b} of them or for {@code c} nanoseconds. */
  static final long SEND = 3;

  /**
   * Client: {@code a} messages were sent; say what came when they are all there. Datagrams that
   * have not come a while after the last one are lost.
   */
  static final long REPORT = 4;

  /** Client: that was all. */
  static final long BYE = 5;

  /**
   * Client: export a region of {@code a} bytes, and say its key; count puts from now on, and if
   * {@code b} is not 0, send each back to my region of that key.
   */
  static final long EXPORT = 8;

  /** Server: as you say; with {@code a} the key of a region, 0 if it would be too large. */
  static final long READY = 6;

  /** Server: {@code a} messages, {@code b} bytes, in {@code c} nanoseconds from first to last. */
  static final long RESULT = 7;

  /** Client: send every datagram back. */
  static final long ECHO_DATAGRAMS = 9;

  /** Client: count the datagrams that come from now on. */
  static final long COUNT_DATAGRAMS = 10;

  /** Number of the channel. */
  static final int CHANNEL = 1;

  /** Number of the channel of the data. */
  static final int DATA_CHANNEL = 2;

  private static final int BYTES = 4 * Long.BYTES;
  private static final ValueLayout.OfLong NETWORK =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(java.nio.ByteOrder.BIG_ENDIAN);

  Control(long kind) {
    this(kind, 0, 0, 0);
  }

  /** Offers it; whether it was taken. */
  boolean offer(Channel channel) {
    MemorySegment bytes = MemorySegment.ofArray(new byte[BYTES]);
    long[] numbers = {kind, a, b, c};
    for (int i = 0; i < numbers.length; i++) {
      bytes.set(NETWORK, (long) i * Long.BYTES, numbers[i]);
    }
    return channel.offer(bytes) > 0;
  }

  /**
   * Reads one.
   *
   * @throws PerfException if it is none of ours
   */
  static Control read(MemorySegment segment, long offset, long length) {
    if (length != BYTES) {
      throw new PerfException("the peer does not speak the language of crosstie perf");
    }
    return new Control(
        segment.get(NETWORK, offset),
        segment.get(NETWORK, offset + Long.BYTES),
        segment.get(NETWORK, offset + 2 * Long.BYTES),
        segment.get(NETWORK, offset + 3 * Long.BYTES));
  }
}
