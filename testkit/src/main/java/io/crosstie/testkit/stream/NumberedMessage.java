// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.stream;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * A message that says which one it is, and of which every byte follows from that. Little endian:
 *
 * <pre>
 *   0  long  stream: a seed, or a random number for one life of a stream
 *   8  long  number of the message in its stream
 *  16  int   length of the whole message
 *  20  int   mark: what the sender wants to say
 *  24        the row of {@link Pattern} that belongs to all of these
 * </pre>
 */
public final class NumberedMessage {
  /** The least length of a message. */
  public static final int HEADER_BYTES = 24;

  private static final long NUMBER = 8;
  private static final long LENGTH = 16;
  private static final long MARK = 20;
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private NumberedMessage() {}

  private static long key(long stream, long number, int length, int mark) {
    return Pattern.mix(Pattern.mix(Pattern.mix(stream) + number) + ((long) mark << 32 | length));
  }

  /** Writes a message over a whole segment. */
  public static void write(MemorySegment message, long stream, long number, int mark) {
    write(message, 0, (int) message.byteSize(), stream, number, mark);
  }

  /** Writes a message into a part of a segment. */
  public static void write(
      MemorySegment memory, long offset, int length, long stream, long number, int mark) {
    memory.set(LONG, offset, stream);
    memory.set(LONG, offset + NUMBER, number);
    memory.set(INT, offset + LENGTH, length);
    memory.set(INT, offset + MARK, mark);
    Pattern.copy(
        key(stream, number, length, mark),
        0,
        memory,
        offset + HEADER_BYTES,
        length - (long) HEADER_BYTES);
  }

  /** Whether a message is as long as it says and every byte of it is what its header demands. */
  public static boolean isSound(MemorySegment memory, long offset, long length) {
    return length >= HEADER_BYTES
        && memory.get(INT, offset + LENGTH) == length
        && Pattern.mismatch(
                key(
                    stream(memory, offset),
                    number(memory, offset),
                    (int) length,
                    mark(memory, offset)),
                0,
                memory,
                offset + HEADER_BYTES,
                length - HEADER_BYTES)
            < 0;
  }

  /** The stream that it says it belongs to. */
  public static long stream(MemorySegment memory, long offset) {
    return memory.get(LONG, offset);
  }

  /** The number that it says it has. */
  public static long number(MemorySegment memory, long offset) {
    return memory.get(LONG, offset + NUMBER);
  }

  /** Its mark. */
  public static int mark(MemorySegment memory, long offset) {
    return memory.get(INT, offset + MARK);
  }
}
