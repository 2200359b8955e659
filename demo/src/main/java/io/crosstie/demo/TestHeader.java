// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.stream.Pattern;
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
 *  24  long  bytes of the source before this message's
 *  32  long  what the other fields mix to
 *  40        bytes of the source; none in the last message
 * </pre>
 */
final class TestHeader {
  static final int BYTES = 40;
  static final int DATA = 0x44415441;
  static final int END = 0x454E4421;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private static final long KIND = 0;
  private static final long LENGTH = 4;
  private static final long INDEX = 8;
  private static final long POSITION = 16;
  private static final long SOURCE = 24;
  private static final long CHECK = 32;

  private TestHeader() {}

  /** Writes a header. */
  static void write(
      MemorySegment message,
      long offset,
      int length,
      int kind,
      long index,
      long position,
      long source) {
    message.set(INT, offset + KIND, kind);
    message.set(INT, offset + LENGTH, length);
    message.set(LONG, offset + INDEX, index);
    message.set(LONG, offset + POSITION, position);
    message.set(LONG, offset + SOURCE, source);
    message.set(LONG, offset + CHECK, check(message, offset));
  }

  /** Whether a message is as long as it says, and every byte of it is the source's. */
  static boolean isSound(MemorySegment message, long offset, long length, StreamData data) {
    int kind = length < BYTES ? 0 : message.get(INT, offset + KIND);
    return (kind == DATA || (kind == END && length == BYTES))
        && message.get(INT, offset + LENGTH) == length
        && message.get(LONG, offset + CHECK) == check(message, offset)
        && data.matches(source(message, offset), message, offset + BYTES, length - BYTES);
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

  static long source(MemorySegment message, long offset) {
    return message.get(LONG, offset + SOURCE);
  }

  private static long check(MemorySegment message, long offset) {
    long check = 0;
    for (long at = KIND; at < CHECK; at += Long.BYTES) {
      check = Pattern.mix(check + message.get(LONG, offset + at) + 1);
    }
    return check;
  }
}
