// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.datagram;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory in which datagrams lie one behind the other, each behind eight bytes that describe it, at
 * positions that only grow. None is cut: what would not fit before the end of the memory begins
 * again in front, behind a mark.
 */
final class DatagramRing {
  /** Longest datagram, its header included. */
  static final int MAX_LENGTH = 16 << 10;

  /** Of one ring, where there is room for so much. */
  static final int MOST_BYTES = 256 << 10;

  /** And where there is not; four of the longest. */
  static final int LEAST_BYTES = 64 << 10;

  private static final int HEADER_SHIFT = 32;

  /** In place of a description: the next one lies in front. */
  private static final long TURN = -1;

  private final MemorySegment memory;
  private final int size;
  private final int beside;

  private DatagramRing(int size, int beside) {
    this.memory = Arena.ofAuto().allocate(size, 64);
    this.size = size;
    this.beside = beside;
  }

  /**
   * One that is charged before it is taken; null if there is no room.
   *
   * @param beside so much is charged with it
   */
  static @Nullable DatagramRing make(MemoryBudget.Account account, int beside) {
    for (int size = MOST_BYTES; size >= LEAST_BYTES; size /= 2) {
      int bytes = size + beside;
      if (size == LEAST_BYTES ? account.tryTake(bytes) : account.tryGrow(bytes, bytes)) {
        try {
          return new DatagramRing(size, beside);
        } catch (OutOfMemoryError e) {
          account.give(bytes); // as if the bound had been lower
          return null;
        }
      }
    }
    return null;
  }

  /** What it holds. */
  int size() {
    return size;
  }

  /** What was charged for it. */
  int charged() {
    return size + beside;
  }

  MemorySegment memory() {
    return memory;
  }

  /** What a datagram takes. */
  private static int bytes(int length) {
    return Long.BYTES + ((length + 7) & -8);
  }

  private int index(long position) {
    return (int) position & (size - 1);
  }

  /**
   * Where a datagram begins that follows what ends at a position.
   *
   * @param head where the oldest one begins
   * @return -1 if there is no room
   */
  long claim(long head, long tail, int length) {
    int left = size - index(tail);
    long at = bytes(length) > left ? tail + left : tail;
    return at + bytes(length) - head <= size ? at : -1;
  }

  /**
   * Describes what was written to a claim.
   *
   * @return where it ends
   */
  long describe(long tail, long claim, int headerLength, int length) {
    if (claim != tail) {
      memory.set(JAVA_LONG, index(tail), TURN);
    }
    memory.set(JAVA_LONG, index(claim), (long) headerLength << HEADER_SHIFT | length);
    return claim + bytes(length);
  }

  /** Where its bytes begin in the memory. */
  int at(long position) {
    return index(position) + Long.BYTES;
  }

  /** What stands at a position; any number if that is being written over. */
  long description(long position) {
    return memory.get(JAVA_LONG, index(position));
  }

  static boolean isTurn(long description) {
    return description == TURN;
  }

  static int length(long description) {
    return (int) description;
  }

  static int headerLength(long description) {
    return (int) (description >>> HEADER_SHIFT);
  }

  /** The position behind. */
  long next(long position, long description) {
    return isTurn(description)
        ? position + size - index(position)
        : position + bytes(length(description));
  }

  /** Whether that can be the description of something that lies there. */
  boolean isSound(long position, long description) {
    int length = length(description);
    return length >= 0
        && length <= MAX_LENGTH
        && headerLength(description) <= length
        && at(position) + length <= size;
  }
}
