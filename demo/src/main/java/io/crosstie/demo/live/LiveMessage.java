// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.demo.XxHash64;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What every message of the live streams is, inside its payload. Little endian:
 *
 * <pre>
 *   0  int   length of the whole message
 *   4  int   1 if the stream was held back on purpose before this message, else 0
 *   8  long  session: a random number for one life of the stream
 *  16  long  index of the message in its stream, from 1
 *  24  long  hash of all the rest: bytes 0 to 23, and 32 to the end
 *  32        numbers that follow from session and index
 * </pre>
 */
final class LiveMessage {
  static final int HEADER_BYTES = 32;

  private static final long LENGTH = 0;
  private static final long RESUMED = 4;
  private static final long SESSION = 8;
  private static final long INDEX = 16;
  private static final long HASH = 24;
  private static final long GAMMA = 0x9E3779B97F4A7C15L;

  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private LiveMessage() {}

  /** Writes a message over a whole segment of at least the header and a multiple of 8 bytes. */
  static void write(MemorySegment message, long session, long index, boolean resumed) {
    long length = message.byteSize();
    message.set(INT, LENGTH, (int) length);
    message.set(INT, RESUMED, resumed ? 1 : 0);
    message.set(LONG, SESSION, session);
    message.set(LONG, INDEX, index);
    long word = session + index * GAMMA;
    for (long at = HEADER_BYTES; at < length; at += Long.BYTES) {
      word += GAMMA;
      message.set(LONG, at, (word ^ (word >>> 29)) * GAMMA);
    }
    message.set(LONG, HASH, hash(message, 0, length));
  }

  /** Whether a message is as long as it says and its hash is right. */
  static boolean isSound(MemorySegment message, long offset, long length) {
    return length >= HEADER_BYTES
        && message.get(INT, offset + LENGTH) == length
        && message.get(LONG, offset + HASH) == hash(message, offset, length);
  }

  static long session(MemorySegment message, long offset) {
    return message.get(LONG, offset + SESSION);
  }

  static long index(MemorySegment message, long offset) {
    return message.get(LONG, offset + INDEX);
  }

  static boolean isResumed(MemorySegment message, long offset) {
    return message.get(INT, offset + RESUMED) != 0;
  }

  private static long hash(MemorySegment message, long offset, long length) {
    return XxHash64.hash(
        message,
        offset + HEADER_BYTES,
        length - HEADER_BYTES,
        XxHash64.hash(message, offset, HASH, 0));
  }
}
