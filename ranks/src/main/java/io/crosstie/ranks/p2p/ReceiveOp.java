// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.match.Posted;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A receive. What it has got is there once its outcome was told. */
public final class ReceiveOp extends Posted {
  private final MemorySegment memory;
  private final Outcome outcome;
  private int fromRank = ANY;
  private int withTag = ANY;
  private int withMark;
  private long length;
  private long missing;
  private long key;
  private boolean over;
  private @Nullable Context within;

  /**
   * A receive.
   *
   * @param source in the world, or {@link #ANY}
   * @param tag or {@link #ANY}
   * @param memory for the message, lent until it is over
   */
  public ReceiveOp(int context, int source, int tag, MemorySegment memory, Outcome outcome) {
    super(context, source, tag);
    this.memory = memory;
    this.outcome = outcome;
  }

  /** Who has sent it, in the world. */
  public int fromRank() {
    return fromRank;
  }

  /** Its tag. */
  public int withTag() {
    return withTag;
  }

  /** What it says that it belongs to. */
  public int withMark() {
    return withMark;
  }

  /** Its length in bytes. */
  public long length() {
    return length;
  }

  /** It waits for its message from now on. */
  void begin(Context of) {
    within = of;
    of.hold();
  }

  MemorySegment memory() {
    return memory;
  }

  /** Its message is found. */
  void matched(int rank, int ofTag, long ofLength, int mark) {
    fromRank = rank;
    withTag = ofTag;
    withMark = mark;
    length = ofLength;
    missing = ofLength;
  }

  /** Whether that many bytes fit. */
  boolean fits(long bytes) {
    return bytes <= memory.byteSize();
  }

  void exported(long ofKey) {
    key = ofKey;
  }

  /** The key of its memory, 0 if it has none. */
  long key() {
    return key;
  }

  long received() {
    return length - missing;
  }

  /** So many bytes came; false if that is more than was announced. */
  boolean got(long bytes) {
    if (bytes > missing) {
      return false;
    }
    missing -= bytes;
    return true;
  }

  boolean isComplete() {
    return missing == 0;
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
