// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What carries messages between ranks: ordered channels and regions. A rank that is not connected
 * yet is like one that has no room.
 */
public interface Wire {
  /** The channel of point to point. */
  int POINT_TO_POINT = 1;

  /** The channel of collective operations. */
  int COLLECTIVE = 2;

  /** The channel of streamed data. */
  int BULK = 3;

  /** What became of a put. */
  interface PutOutcome {
    /**
     * Told once.
     *
     * @param error what is wrong, or null if it is in its place
     * @param isRefused whether the peer has refused it, as what it exported is there no more; else
     *     it is this side's memory, or the connection
     */
    void onDone(@Nullable String error, boolean isRefused);
  }

  /**
   * Takes a message, which is copied.
   *
   * @return false if there is no room now
   * @throws RuntimeException if the memory cannot be read
   */
  boolean offer(
      int rank, int channel, Envelope envelope, MemorySegment body, long offset, long length);

  /**
   * Lets a rank put into memory.
   *
   * @return its key, 0 if this memory cannot be put into, or there are too many
   */
  long export(int rank, MemorySegment memory);

  /** Ends that: nothing is written any more. */
  void unexport(long key);

  /**
   * Puts bytes into memory that a rank has exported; there {@link Messenger#onPlaced} is told.
   *
   * @param receiveId told there
   * @param done told if it was taken
   * @return false if there is no room now
   * @throws RuntimeException if the memory cannot be lent
   */
  boolean put(
      int rank,
      long key,
      MemorySegment source,
      long offset,
      long length,
      long targetOffset,
      long receiveId,
      PutOutcome done);
}
