// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Content;
import io.crosstie.benchmarks.link.WordSum;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The loops between two ranks, the same whatever carries the messages; {@code mpi-ranks.c} has them
 * too. Whoever receives sums every word and compares.
 */
final class RankLoops {
  /** Round trips, or operations, of a batch: the clock is looked at once for each batch. */
  static final int TRIPS = 16;

  /** Messages of a window, unless they are too long for that. */
  private static final long WINDOW = 64;

  private static final long MAX_WINDOW_BYTES = 64 << 20;

  private RankLoops() {}

  /** One message at a time, in one piece of memory. */
  interface Trip {
    void send();

    /** Waits for it. */
    void receive();
  }

  /** Messages by windows, each message in memory of its own, side by side. */
  interface Windows {
    /** Sends all of a window, and waits until their memory is free. */
    void sendAll();

    /** Waits until all of a window are there. */
    void receiveAll();

    /** Tells the sender that they are, and whether to go on. */
    void answer(boolean more);

    boolean awaitAnswer();
  }

  /** How many messages a window has. */
  static long window(long size) {
    return Math.min(WINDOW, MAX_WINDOW_BYTES / size);
  }

  /** The first byte of a message says whether to go on. */
  static void roundTrips(int rank, Trip trip, MemorySegment buffer, RankClock clock) {
    if (rank == 1) {
      do {
        trip.receive();
        trip.send();
      } while (buffer.get(ValueLayout.JAVA_BYTE, 0) != 0);
      return;
    }
    long size = buffer.byteSize();
    int words = (int) (size / Content.WORD);
    Content.fill(buffer, 0, size, 0);
    buffer.set(ValueLayout.JAVA_BYTE, 0, (byte) 0);
    long expected = WordSum.of(buffer, 0, words);
    boolean more = true;
    long fromNs = System.nanoTime();
    while (more) {
      more = !clock.isOver(fromNs);
      for (int i = 0; i < TRIPS; i++) {
        int flag = more || i < TRIPS - 1 ? 1 : 0;
        buffer.set(ValueLayout.JAVA_BYTE, 0, (byte) flag);
        trip.send();
        trip.receive();
        if (WordSum.of(buffer, 0, words) != expected + flag) {
          throw new IllegalStateException("an echo of " + size + " bytes came wrong");
        }
      }
      long toNs = System.nanoTime();
      clock.add(fromNs, toNs, (double) (toNs - fromNs) / TRIPS);
      fromNs = toNs;
    }
  }

  /**
   * One way, from rank 0 to rank 1, which has the clock.
   *
   * @param memory of the window
   */
  static void stream(int rank, Windows windows, MemorySegment memory, long size, RankClock clock) {
    int window = (int) window(size);
    int words = (int) (size / Content.WORD);
    if (rank == 0) {
      for (int i = 0; i < window; i++) {
        Content.fill(memory, i * size, size, i);
      }
      do {
        windows.sendAll();
      } while (windows.awaitAnswer());
      return;
    }
    boolean more = true;
    long fromNs = System.nanoTime();
    while (more) {
      windows.receiveAll();
      for (int i = 0; i < window; i++) {
        if (WordSum.of(memory, i * size, words) != Content.sum(i, 0, words)) {
          throw new IllegalStateException("message " + i + " of a window came wrong");
        }
      }
      long toNs = System.nanoTime();
      clock.add(fromNs, toNs, window * size * 1e9 / (toNs - fromNs));
      fromNs = toNs;
      more = !clock.isOver(toNs);
      windows.answer(more);
    }
  }
}
