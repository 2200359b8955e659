// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.foreign.MemorySegment;

/**
 * A message with its place in a region of the peer (R27): lent memory, which may have a few bytes
 * in front that are told there when all is in place.
 */
public abstract class Put implements SendCompletion {
  private final long key;
  private final long target;
  private final MemorySegment source;
  private final long offset;
  private final long length;
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
    this.key = key;
    this.target = target;
    this.source = source;
    this.offset = offset;
    this.length = length;
    this.header = header;
  }

  /** Of the region. */
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

  /** Why the peer has refused it, of {@code MessageRefusedFrame}; 0 if it has not. Any thread. */
  public int reason() {
    return reason;
  }

  void refused(int why) {
    reason = why;
  }
}
