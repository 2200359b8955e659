// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message that is to be sent. */
public final class SendOp {
  private final int context;
  private final int rank;
  private final int tag;
  private final boolean synchronous;
  private final boolean ready;
  private final int mark;
  private final MemorySegment memory;
  private final Outcome outcome;
  private boolean over;
  private @Nullable QueuedSend queued;
  private @Nullable Context within;
  private long id;

  /**
   * A message.
   *
   * @param rank in the world
   * @param tag 0 or more
   * @param synchronous whether it is over only when a receive has taken it
   * @param memory of all of it, lent until it is over
   */
  public SendOp(
      int context, int rank, int tag, boolean synchronous, MemorySegment memory, Outcome outcome) {
    this(context, rank, tag, synchronous, false, 0, memory, outcome);
  }

  private SendOp(
      int context,
      int rank,
      int tag,
      boolean synchronous,
      boolean ready,
      int mark,
      MemorySegment memory,
      Outcome outcome) {
    this.context = context;
    this.rank = rank;
    this.tag = tag;
    this.synchronous = synchronous;
    this.ready = ready;
    this.mark = mark;
    this.memory = memory;
    this.outcome = outcome;
  }

  /** A message whose receive is posted; it fails if that is not so when it comes. */
  public static SendOp ready(
      int context, int rank, int tag, MemorySegment memory, Outcome outcome) {
    return new SendOp(context, rank, tag, true, true, 0, memory, outcome);
  }

  /**
   * A message that says what it belongs to.
   *
   * @param mark 16 bits, told with its receive
   */
  public static SendOp marked(
      int context, int rank, int tag, int mark, MemorySegment memory, Outcome outcome) {
    return new SendOp(context, rank, tag, false, false, mark, memory, outcome);
  }

  /** Its number among all of this rank, once it has begun. */
  long id() {
    return id;
  }

  void begin(long number, Context of) {
    id = number;
    within = of;
    of.hold();
  }

  /** Where it waits for room, if it does. */
  @Nullable QueuedSend queued() {
    return queued;
  }

  void queuedAs(@Nullable QueuedSend place) {
    queued = place;
  }

  int context() {
    return context;
  }

  int rank() {
    return rank;
  }

  int tag() {
    return tag;
  }

  boolean isSynchronous() {
    return synchronous;
  }

  boolean isReady() {
    return ready;
  }

  int mark() {
    return mark;
  }

  MemorySegment memory() {
    return memory;
  }

  long length() {
    return memory.byteSize();
  }

  boolean isOver() {
    return over;
  }

  void finish(@Nullable Failure failure) {
    if (!over) {
      over = true;
      Context of = within;
      if (of != null) {
        of.release();
      }
      outcome.onDone(failure);
    }
  }
}
