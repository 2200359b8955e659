// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a {@link PlacedFrame} is of: a put, a request for what lies in a region, or the answer to
 * one. A request is nothing but a header of its message, with these numbers, little-endian:
 *
 * <pre>
 *     0        1        2        3        4        5        6        7
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  |                 number of the request, which the answer names         |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  | GET: length;  FETCH_ADD: addend;  SWAP: new;  COMPARE_AND_SET: expected|
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 16 | COMPARE_AND_SET only: new                                             |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 *
 * <p>and the header of an answer, in front of the bytes that were got:
 *
 * <pre>
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 0  | status |                              0                               |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * 8  |                     word before an atomic operation                   |
 *    +--------+--------+--------+--------+--------+--------+--------+--------+
 * </pre>
 */
public final class PlacedKind {
  /** Bytes that have their place in a region. */
  public static final int PUT = 0;

  /** Asks for bytes of a region. */
  public static final int GET = 1;

  /** Adds to a 64-bit word of a region. */
  public static final int FETCH_ADD = 2;

  /** Sets a 64-bit word of a region if it is as expected. */
  public static final int COMPARE_AND_SET = 3;

  /** Sets a 64-bit word of a region. */
  public static final int SWAP = 4;

  /** What was asked for; its key is the number of the request. */
  public static final int ANSWER = 5;

  /** Status: it was done. Others are reasons of {@link MessageRefusedFrame}. */
  public static final int DONE = 0;

  /** Length of an answer's header. */
  public static final int ANSWER_BYTES = 16;

  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private PlacedKind() {}

  /** Whether it is a request. */
  public static boolean isRequest(int kind) {
    return kind >= GET && kind <= SWAP;
  }

  /** How long the header of a request, or of an answer, is. */
  public static int headerBytes(int kind) {
    return kind == COMPARE_AND_SET ? 24 : ANSWER_BYTES;
  }

  /** Writes the numbers of a request into a header of its length. */
  public static void encodeRequest(byte[] header, long number, long first, long second) {
    Layouts.putI64(header, 0, number);
    Layouts.putI64(header, 8, first);
    if (header.length > ANSWER_BYTES) {
      Layouts.putI64(header, 16, second);
    }
  }

  /** Number {@code i}, 0 to 2, of a request. */
  public static long number(MemorySegment header, long at, int i) {
    return header.get(LONG, at + 8L * i);
  }

  /** Writes the header of an answer. */
  public static void encodeAnswer(byte[] header, int status, long word) {
    Layouts.putI64(header, 0, status);
    Layouts.putI64(header, 8, word);
  }

  /** The status that an answer tells. */
  public static int status(MemorySegment header, long at) {
    return header.get(ValueLayout.JAVA_BYTE, at) & 0xff;
  }

  /** The word that it tells. */
  public static long word(MemorySegment header, long at) {
    return header.get(LONG, at + 8);
  }
}
