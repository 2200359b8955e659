// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;

/**
 * A message with its place in a region of the peer (R27): lent memory, which may have a few bytes
 * in front that are told there when all is in place; or a request or an answer, see {@link
 * PlacedKind}. It may be used again once its completion was told.
 */
public abstract class Put implements SendCompletion {
  private int kind;
  private long key;
  private long target;
  private MemorySegment source;
  private long offset;
  private long length;
  private final MemorySegment header;
  private volatile int reason;

  /**
   * One that was not sent.
   *
   * @param key of the region, not 0
   * @param target where in it the first byte goes, 0 or more
   * @param source native memory that any thread may read
   * @param length 0 or more
   * @param header memory with the notification, whole; of 0 to 32 bytes, not both of 0
   */
  protected Put(
      long key, long target, MemorySegment source, long offset, long length, MemorySegment header) {
    this(header);
    set(PlacedKind.PUT, key, target, source, offset, length);
  }

  /**
   * A request, which is nothing but a header.
   *
   * @param kind of {@link PlacedKind}
   * @param key of the region, not 0
   * @param target where in it the bytes or the word lie, 0 or more
   */
  protected Put(int kind, long key, long target, MemorySegment header) {
    this(header);
    set(kind, key, target, MemorySegment.NULL, 0, 0);
  }

  /** One that {@link #set} says more of. */
  protected Put(MemorySegment header) {
    this.header = header;
    this.source = MemorySegment.NULL;
  }

  /** What it is, until it is used again; see the constructor. */
  protected final void set(
      int itsKind, long itsKey, long itsTarget, MemorySegment from, long at, long bytes) {
    kind = itsKind;
    key = itsKey;
    target = itsTarget;
    source = from;
    offset = at;
    length = bytes;
    reason = 0;
  }

  /** Of {@link PlacedKind}. */
  public int kind() {
    return kind;
  }

  /** Of the region, or of a request. */
  public long key() {
    return key;
  }

  /** Where the first byte goes. */
  public long target() {
    return target;
  }

  /** Memory of what is placed. */
  public MemorySegment source() {
    return source;
  }

  /** Bytes that are placed. */
  public long length() {
    return length;
  }

  /** The notification. */
  public MemorySegment header() {
    return header;
  }

  /** Bytes of the notification. */
  public int headerLength() {
    return (int) header.byteSize();
  }

  /** In the source, of the message's first byte; below 0 if only its header lies before. */
  long messageOffset() {
    return offset - header.byteSize();
  }

  /** Of the message, its header included. */
  long messageLength() {
    return length + header.byteSize();
  }

  /** Whether its memory may be read now; the engine, before each read. */
  public boolean isReadable() {
    return true;
  }

  /** Why the peer has refused it, of {@code MessageRefusedFrame}; 0 if it has not. Any thread. */
  public int reason() {
    return reason;
  }

  /** The engine: the peer has refused it, and will not take any of it. */
  protected void onRefused() {}

  final void refused(int why) {
    reason = why;
    onRefused();
  }
}
