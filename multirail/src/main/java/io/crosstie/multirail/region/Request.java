// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Something that this node asks for in a region of a peer: bytes, or an operation on a word. Used
 * once.
 */
public abstract class Request extends Put {
  private final MemorySegment into;
  private final long intoOffset;
  private final long wanted;
  private final long first;
  private final long second;
  private @Nullable Requests table;
  private long number;
  private @Nullable Request next;
  private int status;
  private long word;
  private @Nullable String error;

  /**
   * Bytes.
   *
   * @param key of the region, not 0
   * @param offset in it, 0 or more
   * @param into native memory that any thread may write
   * @param intoOffset where they go in that
   * @param length 1 or more
   */
  protected Request(long key, long offset, MemorySegment into, long intoOffset, long length) {
    this(PlacedKind.GET, key, offset, into, intoOffset, length, length, 0);
  }

  /**
   * An operation on a word.
   *
   * @param kind of {@link PlacedKind}
   * @param key of the region, not 0
   * @param offset in it, a multiple of 8
   * @param first the addend, the new value, or the expected one
   * @param second the new value, if the first is the expected one
   */
  protected Request(int kind, long key, long offset, long first, long second) {
    this(kind, key, offset, MemorySegment.NULL, 0, 0, first, second);
  }

  private Request(
      int kind,
      long key,
      long offset,
      MemorySegment into,
      long intoOffset,
      long wanted,
      long first,
      long second) {
    super(kind, key, offset, new byte[PlacedKind.headerBytes(kind)]);
    this.into = into;
    this.intoOffset = intoOffset;
    this.wanted = wanted;
    this.first = first;
    this.second = second;
  }

  /**
   * What became of it; in a poll, once.
   *
   * @param reason 0 if it was done, else of {@link MessageRefusedFrame}
   * @param before the word before the operation
   * @param why null if it was done; else what is wrong
   */
  protected abstract void onAnswer(int reason, long before, @Nullable String why);

  /** Bytes that are asked for. */
  public long wanted() {
    return wanted;
  }

  // ---- for its table ----

  void begin(Requests in, long as) {
    table = in;
    number = as;
    PlacedKind.encodeRequest(header(), as, first, second);
  }

  long number() {
    return number;
  }

  /** Whether an answer may have so many bytes: all that were asked for, or none. */
  boolean mayHave(long bytes) {
    return bytes == 0 || bytes == wanted;
  }

  /** The engine: writes verified bytes of the answer; throws if its memory is gone. */
  void write(MemorySegment from, long at, long offset, long length) {
    MemorySegment.copy(from, at, into, intoOffset + offset, length);
  }

  boolean isMapped() {
    return into.isMapped();
  }

  /** The engine: this is what it tells. */
  void end(int reason, long before, long bytes) {
    boolean isShort = reason == PlacedKind.DONE && bytes != wanted;
    status = isShort ? MessageRefusedFrame.NOT_WANTED : reason;
    word = before;
    error = status == PlacedKind.DONE ? null : RegionErrors.text(status);
  }

  /** The same where there will be no answer. */
  void end(String why) {
    status = MessageRefusedFrame.NOT_WANTED;
    error = why;
  }

  void tell() {
    onAnswer(status, word, error);
  }

  @Nullable Request next() {
    return next;
  }

  void next(@Nullable Request behind) {
    next = behind;
  }

  // ---- what becomes of the message ----

  @Override
  protected void onRefused() {
    Requests in = table;
    if (in != null) {
      in.fail(this, RegionErrors.text(reason()));
    }
  }

  @Override
  public void onComplete(long sequence, @Nullable String why) {
    Requests in = table;
    if (in != null && why != null) {
      in.failNow(this, why);
    }
  }
}
