// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.util.BitSet;
import java.util.Queue;

/**
 * A communicator that is open at this rank, and how much is under way in it: once it was freed and
 * nothing is, it is handed in to be closed.
 */
final class Context {
  private final int number;
  private final BitSet members;
  private final Queue<Context> over;
  private int underWay;
  private boolean freed;
  private boolean closed;

  /**
   * Nothing is under way.
   *
   * @param number the even one
   * @param over where it is handed in
   */
  Context(int number, BitSet members, Queue<Context> over) {
    this.number = number;
    this.members = members;
    this.over = over;
  }

  int number() {
    return number;
  }

  /** Ranks of the world; not to be changed. */
  BitSet members() {
    return members;
  }

  /** Something begins. */
  void hold() {
    underWay++;
  }

  /** It is over. */
  void release() {
    underWay--;
    handIn();
  }

  /** The application begins nothing more in it; false if that was so before. */
  boolean free() {
    if (freed) {
      return false;
    }
    freed = true;
    handIn();
    return true;
  }

  /**
   * Whether to close it now, which is answered with yes once. Not if something has begun since it
   * was handed in: a thread may have asked for that just before another one freed it.
   */
  boolean takeClose() {
    boolean now = !closed && underWay == 0;
    closed |= now;
    return now;
  }

  private void handIn() {
    if (freed && underWay == 0) {
      boolean unused = over.add(this);
    }
  }
}
