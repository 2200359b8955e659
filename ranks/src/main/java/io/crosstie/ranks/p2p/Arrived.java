// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.match.Waiting;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message that no receive has taken yet: its data, or what leads to it. */
public final class Arrived extends Waiting {
  private final long length;
  private final int flags;
  private final int mark;
  private final long sendId;
  private final @Nullable MemorySegment data;
  private final @Nullable SendOp local;

  private Arrived(
      int context,
      int rank,
      int tag,
      long length,
      int flags,
      int mark,
      long sendId,
      @Nullable MemorySegment data,
      @Nullable SendOp local) {
    super(context, rank, tag);
    this.length = length;
    this.flags = flags;
    this.mark = mark;
    this.sendId = sendId;
    this.data = data;
    this.local = local;
  }

  static Arrived eager(Envelope envelope, int rank, MemorySegment body, long offset, long length) {
    return new Arrived(
        envelope.context(),
        rank,
        envelope.tag(),
        length,
        envelope.flags(),
        envelope.mark(),
        envelope.first(),
        copy(body, offset, length),
        null);
  }

  static Arrived announced(Envelope envelope, int rank) {
    return new Arrived(
        envelope.context(),
        rank,
        envelope.tag(),
        envelope.second(),
        envelope.flags(),
        envelope.mark(),
        envelope.first(),
        null,
        null);
  }

  /** To oneself: the data could not be read. */
  static Arrived localUnreadable(SendOp op) {
    return new Arrived(
        op.context(),
        op.rank(),
        op.tag(),
        op.length(),
        Envelope.UNREADABLE,
        op.mark(),
        0,
        null,
        null);
  }

  /** To oneself: the data stays where it is. */
  static Arrived local(SendOp op) {
    return new Arrived(op.context(), op.rank(), op.tag(), op.length(), 0, op.mark(), 0, null, op);
  }

  /** To oneself: the data is copied, so that the send is over. */
  static Arrived localCopy(SendOp op) {
    return new Arrived(
        op.context(),
        op.rank(),
        op.tag(),
        op.length(),
        0,
        op.mark(),
        0,
        copy(op.memory(), 0, op.length()),
        null);
  }

  private static MemorySegment copy(MemorySegment body, long offset, long length) {
    MemorySegment copy = MemorySegment.ofArray(new byte[(int) length]);
    MemorySegment.copy(body, offset, copy, 0, length);
    return copy;
  }

  /** In bytes. */
  public long length() {
    return length;
  }

  int flags() {
    return flags;
  }

  int mark() {
    return mark;
  }

  long sendId() {
    return sendId;
  }

  /** Whether its sender could not read it: there is no data. */
  boolean isUnreadable() {
    return (flags & Envelope.UNREADABLE) != 0;
  }

  /** Whether its sender waits for word of it. */
  boolean isAwaited() {
    return !isUnreadable() && (data == null || (flags & Envelope.SYNCHRONOUS) != 0);
  }

  /** Null if it waits at the sender. */
  @Nullable MemorySegment data() {
    return data;
  }

  /** The send, if it is one of this rank's. */
  @Nullable SendOp local() {
    return local;
  }

  /** How many bytes of the bound on unexpected ones it takes. */
  long chargedBytes() {
    return data == null ? 0 : length;
  }
}
