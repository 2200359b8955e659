// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Room for messages that are sent from copies. Any thread. */
final class SendBuffer {
  /** What a message takes beside its bytes. */
  static final int OVERHEAD = 64;

  private boolean attached;
  private long room;
  private long used;
  private @Nullable Failure failure;

  synchronized void attach(long bytes) {
    if (attached) {
      throw new IllegalStateException(
          "there is room for buffered sends already; detach that before more is attached");
    }
    if (bytes < 0) {
      throw new IllegalArgumentException("room for buffered sends below zero: " + bytes);
    }
    attached = true;
    room = bytes;
    failure = null;
  }

  /** A copy, if there is room for it. */
  Data copy(Data data) {
    long bytes = data.byteSize();
    take(bytes);
    boolean copied = false;
    try {
      MemorySegment copy = MemorySegment.ofArray(new byte[(int) bytes]);
      Data of = Data.of(copy.copyFrom(data.segment()));
      copied = true;
      return of;
    } finally {
      if (!copied) {
        giveBack(bytes, null);
      }
    }
  }

  private synchronized void take(long bytes) {
    if (!attached || bytes > Integer.MAX_VALUE - OVERHEAD || used + bytes + OVERHEAD > room) {
      throw new RanksException(
          "there is no room for a buffered send of "
              + bytes
              + " bytes, which takes "
              + OVERHEAD
              + " more: "
              + (attached ? used + " of " + room + " bytes are used" : "none is attached")
              + "; call World.attachBuffer with more, or send in another mode");
    }
    used += bytes + OVERHEAD;
  }

  /** The message has left, or failed. */
  synchronized void giveBack(long bytes, @Nullable Failure why) {
    used -= bytes + OVERHEAD;
    failure = failure == null ? why : failure;
  }

  synchronized boolean isEmpty() {
    return used == 0;
  }

  /** What of the messages that count as sent has not left, or could not; for a person, or "". */
  synchronized String lost() {
    String what = used == 0 ? "" : used + " bytes of buffered sends that nobody has received";
    Failure first = failure;
    return first == null
        ? what
        : what + (used == 0 ? "" : ", and ") + "a buffered send that failed: " + first.text();
  }

  /** The first that went wrong since it was attached. */
  synchronized @Nullable Failure detach() {
    attached = false;
    Failure first = failure;
    failure = null;
    return first;
  }

  /** Nothing is taken any more. */
  synchronized long close() {
    if (!attached) {
      throw new IllegalStateException("there is no room for buffered sends to be detached");
    }
    long had = room;
    room = 0;
    return had;
  }
}
