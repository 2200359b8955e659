// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.foreign.MemorySegment;

/**
 * The regions that one peer may write to, as a placement channel sees them (R27, R28). The engine's
 * thread.
 */
public interface PlacementTarget {
  /**
   * Whether this peer may place so many bytes there.
   *
   * @param kind PUT or ANSWER of {@code PlacedKind}
   * @param key any number; in an answer that of the request
   * @param offset in the region, 0 or more
   * @param length 0 or more; the sum of both does not overflow
   * @return 0, or a reason of {@code MessageRefusedFrame}; after 0 {@link #write} and {@link #tell}
   *     are about that region, or that request
   */
  int judge(int kind, long key, long offset, long length);

  /**
   * Writes verified bytes into the region that was judged last.
   *
   * @return false if its memory is not there any more; then it takes nothing from now on
   */
  boolean write(MemorySegment from, long fromOffset, long offset, long length);

  /** The same of short ones in an array. */
  boolean write(byte[] from, int fromOffset, long offset, int length);

  /**
   * Takes room for what is to be told of a message, or for the answer to a request; false if there
   * is none now.
   */
  boolean reserve(int kind);

  /** That room is not needed after all. */
  void release(int kind);

  /**
   * It is the turn of a request, for whose answer room was taken: it is done, and answered. Must
   * not throw, since it is done once.
   *
   * @param key of the region, any number
   * @param offset in it, 0 or more
   * @param request its header
   * @param at where that begins
   */
  void execute(int kind, long key, long offset, MemorySegment request, long at);

  /**
   * All of a message is in the region that was judged last: the application is told, in the room
   * that was reserved.
   *
   * @param offset in the region where it begins
   * @param length of what was placed
   * @param bytes the notification
   * @param at where it begins in them
   * @param count 1 to 32
   */
  void tell(long offset, long length, MemorySegment bytes, long at, int count);

  /** The same of a put whose notification is the first bytes of an array. */
  void tell(long offset, long length, byte[] bytes, int count);
}
