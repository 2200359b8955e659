// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.ArrayDeque;
import java.util.Queue;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;

/** Puts of a node that are not under way, to be used again; so many of them, and no more. */
final class PutPool {
  /** Kept at most, of about 150 bytes each. */
  static final int MOST = 256;

  private final boolean singleThreaded;
  private final ArrayDeque<AppPut> own = new ArrayDeque<>(0);
  private final Queue<AppPut> shared;

  /**
   * Without any.
   *
   * @param singleThreaded whether one thread at a time makes all calls
   */
  PutPool(boolean singleThreaded) {
    this.singleThreaded = singleThreaded;
    this.shared = singleThreaded ? own : new MpmcVarHandleArrayQueue<>(MOST);
  }

  /** One that nobody else has. */
  AppPut take() {
    AppPut put = singleThreaded ? own.pollLast() : shared.poll();
    return put == null ? new AppPut(this) : put;
  }

  /** Nobody uses it any more. */
  void give(AppPut put) {
    if (!singleThreaded) {
      boolean unused = shared.offer(put);
    } else if (own.size() < MOST) {
      own.addLast(put); // what was used last is in the cache
    }
  }

  /** How many are kept. */
  int size() {
    return shared.size();
  }
}
