// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Those who wait for a deadline, the earliest first: a binary heap that knows where each one
 * stands, so that a deadline can be moved without allocation.
 *
 * <p>Not a timer wheel such as Agrona's {@code DeadlineTimerWheel}: its ticks round deadlines up,
 * it cannot say exactly when the next one comes, which is until when the engine may block, and it
 * works off each tick that went by, so that an hour of virtual time would cost an hour's ticks.
 *
 * @param <T> who waits
 */
public final class DeadlineHeap<T> {
  /** One who may wait, and where in the heap. */
  public static final class Entry<T> {
    private final T owner;
    private int index = -1;
    private long deadlineNs;

    /** In no heap yet. */
    public Entry(T owner) {
      this.owner = owner;
    }
  }

  private @Nullable Entry<T>[] heap = array(16);
  private int size;

  /** An empty one. */
  public DeadlineHeap() {}

  /** Makes room for that many, so that none of them is refused for lack of memory. */
  public void reserve(int entries) {
    if (entries > heap.length) {
      heap = Arrays.copyOf(heap, Math.max(entries, heap.length * 2));
    }
  }

  /** Enters it, or moves it. */
  public void set(Entry<T> entry, long deadlineNs) {
    if (entry.index < 0) {
      reserve(size + 1);
      entry.index = size++;
      heap[entry.index] = entry;
      entry.deadlineNs = deadlineNs;
      up(entry);
      return;
    }
    long before = entry.deadlineNs;
    entry.deadlineNs = deadlineNs;
    if (deadlineNs < before) {
      up(entry);
    } else {
      down(entry);
    }
  }

  /** Takes it out, if it is in. */
  public void remove(Entry<T> entry) {
    int i = entry.index;
    if (i < 0) {
      return;
    }
    entry.index = -1;
    Entry<T> last = at(--size);
    heap[size] = null;
    if (last != entry) {
      last.index = i;
      heap[i] = last;
      up(last);
      down(last);
    }
  }

  /** The earliest deadline, Long.MAX_VALUE if there is none. */
  public long earliestNs() {
    return size == 0 ? Long.MAX_VALUE : at(0).deadlineNs;
  }

  /**
   * The one with the earliest deadline if that has come, else null. It has none any more until
   * {@link #set}.
   */
  public @Nullable T takeDue(long nowNs) {
    if (earliestNs() > nowNs) {
      return null;
    }
    Entry<T> first = at(0);
    set(first, Long.MAX_VALUE);
    return first.owner;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // only entries are put in
  private static <T> @Nullable Entry<T>[] array(int length) {
    return new Entry[length];
  }

  private Entry<T> at(int i) {
    Entry<T> entry = heap[i];
    if (entry == null) {
      throw new IllegalStateException("hole in the heap at " + i);
    }
    return entry;
  }

  /** References are written only where one moves; see the barrier that RunQueue speaks of. */
  @SuppressWarnings("ReferenceEquality") // this very one
  private void put(Entry<T> entry, int i) {
    if (heap[i] != entry) {
      heap[i] = entry;
      entry.index = i;
    }
  }

  private void up(Entry<T> entry) {
    int i = entry.index;
    while (i > 0) {
      Entry<T> parent = at((i - 1) / 2);
      if (parent.deadlineNs <= entry.deadlineNs) {
        break;
      }
      put(parent, i);
      i = (i - 1) / 2;
    }
    put(entry, i);
  }

  private void down(Entry<T> entry) {
    int i = entry.index;
    while (2 * i + 1 < size) {
      int child = 2 * i + 1;
      if (child + 1 < size && at(child + 1).deadlineNs < at(child).deadlineNs) {
        child++;
      }
      Entry<T> lower = at(child);
      if (entry.deadlineNs <= lower.deadlineNs) {
        break;
      }
      put(lower, i);
      i = child;
    }
    put(entry, i);
  }
}
