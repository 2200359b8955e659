// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.util.Arrays;
import java.util.NoSuchElementException;
import org.jspecify.annotations.Nullable;

/**
 * A queue of those whose turn it is: the same few come again and again, every duty cycle. Each
 * stands in it once at most, which the queue knows by a bit that it keeps with the member.
 *
 * <p>A reference written into an old object costs the collector's barrier, which can be a fence.
 * This queue writes only references that change: what was taken out stays in its place until
 * another one comes there, and one that comes back finds itself there already. Nothing is allocated
 * once it has grown. Not thread safe.
 *
 * @param <E> of these it may keep alive as many as have stood in it at a time, until {@link #clear}
 */
public final class RunQueue<E extends RunQueue.Member> {
  /** One that can stand in queues. */
  public abstract static class Member {
    private int queues; // and marks: a bit for each number

    /** Stands in none. */
    protected Member() {}
  }

  /** A set of members without an order, which keeps nothing but a bit with each. */
  public static final class Mark {
    private final int bit;

    /**
     * On nobody.
     *
     * @param number as of a queue
     */
    public Mark(int number) {
      this.bit = 1 << number;
    }

    /** Whether that one has it. */
    public boolean isOn(Member one) {
      return (one.queues & bit) != 0;
    }

    /** That one has it from now on. */
    public void put(Member one) {
      one.queues |= bit;
    }

    /** That one has it no more. */
    public void remove(Member one) {
      one.queues &= ~bit;
    }
  }

  private final Mark mark;
  private @Nullable Object[] ring = new Object[4];
  private int head; // both count up for ever
  private int tail;

  /**
   * An empty one.
   *
   * @param number 0 to 31, of its own among the queues that a member may stand in; queues that have
   *     the same number share their members: each stands in one of them at most
   */
  public RunQueue(int number) {
    this.mark = new Mark(number);
  }

  /** How many stand in it. */
  public int size() {
    return tail - head;
  }

  /** Whether none does. */
  public boolean isEmpty() {
    return tail == head;
  }

  /** Whether that one stands in it, or in another of its number. */
  public boolean contains(E one) {
    return mark.isOn(one);
  }

  /**
   * Puts one at the end, unless it stands in here.
   *
   * @return whether it did not
   */
  public boolean add(E one) {
    if (mark.isOn(one)) {
      return false;
    }
    append(one); // or throws
    mark.put(one);
    return true;
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private void append(E one) {
    if (tail - head == ring.length) {
      grow();
    }
    int i = tail++ & (ring.length - 1);
    if (ring[i] != one) {
      ring[i] = one;
    }
  }

  /** The first goes to the end. */
  public void rotate() {
    E first = peekFirst();
    if (first != null) {
      head++;
      append(first); // there is room: it has just left
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
    mark.remove(first);
    return first;
  }

  /** Empties it and forgets who stood in it. */
  public void clear() {
    for (int i = head; i != tail; i++) {
      if (ring[i & (ring.length - 1)] instanceof Member member) {
        mark.remove(member);
      }
    }
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
