// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a placed message that is not complete, or refused. Those of which the peer has
 * to be told stand in a ring, so that none costs more than its own room.
 */
final class PlacedMessage {
  /** What is charged for one that is refused. */
  static final long BYTES = 256;

  final long seq;
  final int kind;
  final long key;
  final long target;
  final long length;
  final int headerLength;

  /** The notification, once it has come; of a request all there is. */
  final @Nullable MemorySegment header;

  /** What is in its place; null if it is refused. */
  private @Nullable IntervalSet have;

  private boolean hasRoom;
  private int reason;
  private PlacedMessage before = this;
  private PlacedMessage behind = this;

  /**
   * One of which nothing is here.
   *
   * @param have an empty set; null for one that is refused, of which nothing will be, and for a
   *     request
   */
  PlacedMessage(
      long seq,
      int kind,
      long key,
      long target,
      long length,
      int headerLength,
      @Nullable IntervalSet have) {
    this.seq = seq;
    this.kind = kind;
    this.key = key;
    this.target = target;
    this.length = length;
    this.headerLength = headerLength;
    this.header =
        headerLength > 0 && (have != null || PlacedKind.isRequest(kind))
            ? MemorySegment.ofArray(new byte[headerLength])
            : null;
    this.have = have;
  }

  /** The head of an empty ring. */
  static PlacedMessage ring() {
    return new PlacedMessage(0, PlacedKind.PUT, 0, 0, 0, 0, null);
  }

  @Nullable IntervalSet have() {
    return have;
  }

  /** Whether room for its notification is taken. */
  boolean hasRoom() {
    return hasRoom;
  }

  /** Room was taken, or was used or given back. */
  void room(boolean taken) {
    hasRoom = taken;
  }

  /** Why the peer has to give it up; 0 if it need not. */
  int reason() {
    return reason;
  }

  /** The peer has to give it up; what is known of its parts is of no use any more. */
  void refuse(int why) {
    reason = why;
    have = null;
  }

  /** What is charged for it. */
  long bytes() {
    return have == null ? BYTES : bytes(length);
  }

  /** What is charged for one that may be taken. */
  static long bytes(long length) {
    return BYTES + 16L * IntervalSet.mostOf(length);
  }

  boolean isLike(int itsKind, long itsKey, long itsTarget, long itsLength, int itsHeaderLength) {
    return kind == itsKind
        && key == itsKey
        && target == itsTarget
        && length == itsLength
        && headerLength == itsHeaderLength;
  }

  // ---- the ring ----

  /** The next one; the head if there is none. */
  PlacedMessage next() {
    return behind;
  }

  /** Puts it at the end of that ring, unless it stands there. */
  @SuppressWarnings("ReferenceEquality") // this very one
  void join(PlacedMessage head) {
    if (behind == this) {
      before = head.before;
      behind = head;
      before.behind = this;
      head.before = this;
    }
  }

  /** Takes it out, if it stands in one. */
  void leave() {
    before.behind = behind;
    behind.before = before;
    before = this;
    behind = this;
  }
}
