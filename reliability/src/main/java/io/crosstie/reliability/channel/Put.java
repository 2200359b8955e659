// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

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
  private final byte[] header;
  private int headerLength;
  private volatile int reason;

  /**
   * One that was not sent.
   *
   * @param key of the region, not 0
   * @param target where in it the first byte goes, 0 or more
   * @param source native memory that any thread may read
   * @param length 0 or more
   * @param header the notification, 0 to 32 bytes, which stay as they are; not both of 0
   */
  protected Put(
      long key, long target, MemorySegment source, long offset, long length, byte[] header) {
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
  protected Put(int kind, long key, long target, byte[] header) {
    this(header);
    set(kind, key, target, MemorySegment.NULL, 0, 0);
  }

  /**
   * One that {@link #set} says more of.
   *
   * @param header is filled before it is sent, and all of it counts but for {@link
   *     #setNotification}
   */
  protected Put(byte[] header) {
    this.header = header;
    this.headerLength = header.length;
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
    if (reason != 0) { // a write costs a fence
      reason = 0;
    }
  }

  /** Copies the notification to its place; at most as long as that. */
  protected final void setNotification(byte[] bytes) {
    System.arraycopy(bytes, 0, header, 0, bytes.length);
    headerLength = bytes.length;
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

  /** The notification: the first {@link #headerLength} bytes of it. */
  public byte[] header() {
    return header;
  }

  /** Bytes of the notification. */
  public int headerLength() {
    return headerLength;
  }

  /** In the source, of the message's first byte; below 0 if only its header lies before. */
  long messageOffset() {
    return offset - headerLength;
  }

  /** Of the message, its header included. */
  public long messageLength() {
    return length + headerLength;
  }

  /**
   * The engine: copies the whole message, notification and all.
   *
   * @param into has room for it
   * @return false if its memory cannot be read now, or not without more care; then nobody knows
   *     what was copied
   */
  public boolean copyTo(byte[] into) {
    if (source.isMapped() || !isReadable()) {
      return false;
    }
    try {
      int apart = headerLength();
      System.arraycopy(header, 0, into, 0, apart);
      MemorySegment.copy(source, ValueLayout.JAVA_BYTE, offset, into, apart, (int) length);
      return true;
    } catch (RuntimeException e) { // whoever tries again finds out about it
      return false;
    }
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
