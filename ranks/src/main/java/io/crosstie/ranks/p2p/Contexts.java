// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The communicators of one rank: those that are open, and the numbers of those that were closed. A
 * number is never given twice, so that a message of a closed communicator is known for what it is,
 * however late it comes; one of a number that is in neither is of a communicator that others have
 * opened before this rank does.
 */
final class Contexts {
  private final int size;
  private final Map<Integer, Context> open = new HashMap<>();
  private final ArrayDeque<Context> over = new ArrayDeque<>();

  /** By the rank that has given them: its first, second and so on. */
  private final @Nullable NumberSet[] closed;

  private boolean anyClosed;

  /** None, in a world of that size. */
  Contexts(int size) {
    this.size = size;
    this.closed = new NumberSet[size];
  }

  /**
   * The even number of a communicator that a rank gives.
   *
   * @param round 0 for the first one that it gives
   * @return 2 or more; 0 if none are left
   */
  static int number(int rank, int size, long round) {
    long context = 2 * (1 + round * size + rank);
    return context < Integer.MAX_VALUE ? (int) context : 0;
  }

  /**
   * It is open from now on.
   *
   * @throws IllegalArgumentException if it was closed before
   */
  void open(int context, BitSet members) {
    if (isClosed(context)) {
      throw new IllegalArgumentException(
          "the communicator "
              + context / 2
              + " was freed; take another World.newNumber() for each one");
    }
    Context unused = open.putIfAbsent(context, new Context(context, members, over));
  }

  /** An open one, by either of its numbers. */
  @Nullable Context find(int context) {
    return open.get(context & ~1);
  }

  /** Of an open one, else none; not to be changed. */
  BitSet members(int context) {
    Context of = find(context);
    return of == null ? new BitSet() : of.members();
  }

  /** One that was freed, and in which nothing is under way any more; null if there is none. */
  @Nullable Context nextOver() {
    return over.poll();
  }

  /** Nothing of it is left here. */
  void close(Context context) {
    Context unused = open.remove(context.number());
    int index = context.number() / 2 - 1;
    if (index >= 0) {
      NumberSet of = closed[index % size];
      if (of == null) {
        of = new NumberSet();
        closed[index % size] = of;
      }
      of.add(index / size);
      anyClosed = true;
    }
  }

  /** Whether it was closed, by either of its numbers. */
  boolean isClosed(int context) {
    int index = context / 2 - 1;
    if (!anyClosed || index < 0) {
      return false;
    }
    NumberSet of = closed[index % size];
    return of != null && of.contains(index / size);
  }

  /** How many are open. */
  int count() {
    return open.size();
  }

  /** How much memory the numbers of closed ones take, in bits. */
  long closedBits() {
    long bits = 0;
    for (NumberSet each : closed) {
      bits += each == null ? 0 : each.bits();
    }
    return bits;
  }
}
