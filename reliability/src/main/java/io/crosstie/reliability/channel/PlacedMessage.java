// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** What is known of a placed message that is not complete, or refused. */
final class PlacedMessage {
  final long key;
  final long target;
  final long length;
  final int headerLength;

  /** The notification, once it has come. */
  final @Nullable MemorySegment header;

  private boolean hasRoom;
  private boolean isRefused;

  PlacedMessage(long key, long target, long length, int headerLength) {
    this.key = key;
    this.target = target;
    this.length = length;
    this.headerLength = headerLength;
    this.header = headerLength == 0 ? null : MemorySegment.ofArray(new byte[headerLength]);
  }

  /** Whether room for its notification is taken. */
  boolean hasRoom() {
    return hasRoom;
  }

  /** Room was taken, or was used or given back. */
  void room(boolean taken) {
    hasRoom = taken;
  }

  /** Whether the peer has to give it up. */
  boolean isRefused() {
    return isRefused;
  }

  void refuse() {
    isRefused = true;
  }

  /** What is charged for one. */
  static long bytes(long length) {
    return 256 + 16L * ReceiveQueue.mostIntervals(length);
  }

  boolean isLike(long itsKey, long itsTarget, long itsLength, int itsHeaderLength) {
    return key == itsKey
        && target == itsTarget
        && length == itsLength
        && headerLength == itsHeaderLength;
  }
}
