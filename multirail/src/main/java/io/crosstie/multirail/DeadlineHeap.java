// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.multirail.connection.Connection;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The connections by their next deadline: a binary heap that knows where each one stands, so that a
 * deadline can be moved without allocation. (A timer wheel of fixed ticks would make a simulated
 * hour cost an hour's ticks.)
 */
final class DeadlineHeap {
  private @Nullable Connection[] heap = new Connection[16];
  private int size;

  /** Makes room for that many, so that none of them is refused for lack of memory. */
  void reserve(int connections) {
    if (connections > heap.length) {
      heap = Arrays.copyOf(heap, Math.max(connections, heap.length * 2));
    }
  }

  /** Enters the connection, or moves it. */
  void set(Connection c, long deadlineNs) {
    if (c.heapIndex < 0) {
      reserve(size + 1);
      c.heapIndex = size++;
      heap[c.heapIndex] = c;
      c.heapDeadlineNs = deadlineNs;
      up(c);
      return;
    }
    long before = c.heapDeadlineNs;
    c.heapDeadlineNs = deadlineNs;
    if (deadlineNs < before) {
      up(c);
    } else {
      down(c);
    }
  }

  void remove(Connection c) {
    int i = c.heapIndex;
    if (i < 0) {
      return;
    }
    c.heapIndex = -1;
    Connection last = at(--size);
    heap[size] = null;
    if (last != c) {
      last.heapIndex = i;
      heap[i] = last;
      up(last);
      down(last);
    }
  }

  /** The earliest deadline, Long.MAX_VALUE if there is none. */
  long earliestNs() {
    return size == 0 ? Long.MAX_VALUE : at(0).heapDeadlineNs;
  }

  /** The connection with the earliest deadline, or null. */
  @Nullable Connection first() {
    return size == 0 ? null : at(0);
  }

  private Connection at(int i) {
    Connection c = heap[i];
    if (c == null) {
      throw new IllegalStateException("hole in the heap at " + i);
    }
    return c;
  }

  /**
   * References are written only where one moves; see {@link
   * io.crosstie.reliability.channel.RunQueue}.
   */
  @SuppressWarnings("ReferenceEquality") // this very one
  private void put(Connection c, int i) {
    if (heap[i] != c) {
      heap[i] = c;
      c.heapIndex = i;
    }
  }

  private void up(Connection c) {
    int i = c.heapIndex;
    while (i > 0) {
      Connection parent = at((i - 1) / 2);
      if (parent.heapDeadlineNs <= c.heapDeadlineNs) {
        break;
      }
      put(parent, i);
      i = (i - 1) / 2;
    }
    put(c, i);
  }

  private void down(Connection c) {
    int i = c.heapIndex;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && at(child + 1).heapDeadlineNs < at(child).heapDeadlineNs) {
        child++;
      }
      Connection lower = at(child);
      if (c.heapDeadlineNs <= lower.heapDeadlineNs) {
        break;
      }
      put(lower, i);
      i = child;
    }
    put(c, i);
  }
}
