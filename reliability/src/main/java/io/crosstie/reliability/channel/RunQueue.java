// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.util.Arrays;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A queue of those whose turn it is: the same few come again and again, every duty cycle.
 *
 * <p>A reference written into an old object costs the collector's barrier, which can be a fence.
 * This queue writes only references that change: what was taken out stays in its place until
 * another one comes there, and one that comes back finds itself there already. Nothing is allocated
 * once it has grown. Not thread safe.
 *
 * @param <E> of these it may keep alive as many as have stood in it at a time, until {@link #clear}
 */
public final class RunQueue<E> {
  private @Nullable Object[] ring = new Object[4];
  private int head; // both count up for ever
  private int tail;

  /** An empty one. */
  public RunQueue() {}

  /** How many stand in it. */
  public int size() {
    return tail - head;
  }

  /** Whether none does. */
  public boolean isEmpty() {
    return tail == head;
  }

  /** Puts one at the end. */
  @SuppressWarnings("ReferenceEquality") // this very one
  public void addLast(E one) {
    if (tail - head == ring.length) {
      grow();
    }
    int i = tail++ & (ring.length - 1);
    if (ring[i] != one) {
      ring[i] = one;
    }
  }

  /** Makes room for that many, so that none of them is refused for lack of memory. */
  public void reserve(int entries) {
    while (ring.length < entries) {
      grow();
    }
  }

  private void grow() {
    @Nullable Object[] old = ring;
    int n = size();
    ring = new Object[old.length * 2];
    for (int i = 0; i < n; i++) {
      ring[i] = old[(head + i) & (old.length - 1)];
    }
    head = 0;
    tail = n;
  }

  /** The first, or null. */
  @SuppressWarnings("unchecked") // only they are put in
  public @Nullable E peekFirst() {
    return head == tail ? null : (E) ring[head & (ring.length - 1)];
  }

  /**
   * Takes the first out.
   *
   * @throws NoSuchElementException if there is none
   */
  public E removeFirst() {
    E first = peekFirst();
    if (first == null) {
      throw new NoSuchElementException("nobody's turn");
    }
    head++;
    return first;
  }

  /** Empties it and forgets who stood in it. */
  public void clear() {
    Arrays.fill(ring, null);
    head = 0;
    tail = 0;
  }

  /** Forgets one that does not stand in it. */
  @SuppressWarnings("ReferenceEquality") // this very one
  public void forget(E one) {
    for (int i = 0; i < ring.length; i++) {
      if (ring[i] == one && ((i - head) & (ring.length - 1)) >= size()) {
        ring[i] = null;
      }
    }
  }
}
