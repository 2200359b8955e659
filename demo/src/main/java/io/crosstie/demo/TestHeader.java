// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What every message of the stream that is not empty begins with, inside its payload. Little
 * endian:
 *
 * <pre>
 *   0  int   kind: {@link #DATA} or {@link #END}
 *   4  int   length of the whole message
 *   8  long  index of the message in the stream, from 0, empty ones counted
 *  16  long  bytes of the stream before this message
 *  24  long  hash of all the rest: bytes 0 to 23, and 32 to the end
 *  32        data; of the last message: messages and bytes before it (long, long), their SHA-256
 * </pre>
 */
final class TestHeader {
  static final int BYTES = 32;
  static final int END_BYTES = BYTES + 16 + 32;
  static final int DATA = 0x44415441;
  static final int END = 0x454E4421;

  static final long END_MESSAGES = BYTES;
  static final long END_STREAM_BYTES = BYTES + 8;
  static final long END_SHA256 = BYTES + 16;

  static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long KIND = 0;
  private static final long LENGTH = 4;
  private static final long INDEX = 8;
  private static final long POSITION = 16;
  private static final long HASH = 24;

  private TestHeader() {}

  /** Writes the header of a message whose other bytes stand already. */
  static void write(
      MemorySegment message, long offset, int length, int kind, long index, long position) {
    message.set(INT, offset + KIND, kind);
    message.set(INT, offset + LENGTH, length);
    message.set(LONG, offset + INDEX, index);
    message.set(LONG, offset + POSITION, position);
    message.set(LONG, offset + HASH, hash(message, offset, length));
  }

  /** Whether a message is as long as it says and its hash is right. */
  static boolean isSound(MemorySegment message, long offset, long length) {
    int kind = length < BYTES ? 0 : message.get(INT, offset + KIND);
    return (kind == DATA || (kind == END && length == END_BYTES))
        && message.get(INT, offset + LENGTH) == length
        && message.get(LONG, offset + HASH) == hash(message, offset, length);
  }

  static boolean isEnd(MemorySegment message, long offset) {
    return message.get(INT, offset + KIND) == END;
  }

  static long index(MemorySegment message, long offset) {
    return message.get(LONG, offset + INDEX);
  }

  static long position(MemorySegment message, long offset) {
    return message.get(LONG, offset + POSITION);
  }

  private static long hash(MemorySegment message, long offset, long length) {
    return XxHash64.hash(
        message, offset + BYTES, length - BYTES, XxHash64.hash(message, offset, HASH, 0));
  }
}
