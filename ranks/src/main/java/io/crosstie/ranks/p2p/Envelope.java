// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * What a message between ranks begins with, little-endian.
 *
 * <pre>
 *  0 kind  1 flags  2 mark
 *  4 context of the communicator               8 tag          12 answered wants
 *                                              8 ------ key of a region ------
 * 16 id of the send (of the receive: DATA, FAILED); messages taken (CREDIT)
 *                                             flags and tag of FAILED: what failure, of what rank
 * 24 length in bytes; id of the receive (CTS); offset (DATA); bytes taken (CREDIT); why (REFUSED)
 * </pre>
 */
public final class Envelope {
  /** Its length. */
  public static final int BYTES = 32;

  /** The data is beside it. */
  public static final int EAGER = 1;

  /** The data waits at the sender. */
  public static final int RTS = 2;

  /** The receive is there: its memory's key, 0 if the data is to be streamed. */
  public static final int CTS = 3;

  /** A piece of streamed data. */
  public static final int DATA = 4;

  /** The sender cannot send the data; the text says why. */
  public static final int FAILED = 5;

  /** The message was matched, and needs no data. */
  public static final int ACK = 6;

  /** So much was taken by receives. */
  public static final int CREDIT = 7;

  /** A receive waits for a message of that context and tag. */
  public static final int WANT = 8;

  /** A message that was announced before its turn now has it. */
  public static final int TURN = 9;

  /** A message was dropped: {@link #NOT_POSTED} or {@link #FREED}. */
  public static final int REFUSED = 10;

  /** Nothing of that context is wanted any more. */
  public static final int UNWANT = 11;

  /** No receive was posted for a message that was to find one. */
  static final int NOT_POSTED = 0;

  /** The communicator was freed, and no receive will come. */
  static final int FREED = 1;

  /** Flag: tell the sender once it is matched. */
  public static final int SYNCHRONOUS = 1;

  /** Flag: the memory at the sender is no source of puts. */
  public static final int NO_PUT = 2;

  /** Flag: announced before its turn, since a receive has asked for its tag. */
  static final int EARLY = 4;

  /** Flag: its receive is posted; if not, the message is refused, or dropped if unreadable. */
  static final int READY = 8;

  /** Flag: its sender could not read it; there is no data, and none is asked for. */
  static final int UNREADABLE = 16;

  /** Answers a want of that very tag. */
  static final int ANSWERS_TAG = 1;

  /** Answers a want of any tag. */
  static final int ANSWERS_ANY = 2;

  private static final ValueLayout.OfShort SHORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfInt INT =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfLong LONG =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

  private final MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);

  /** All zero. */
  public Envelope() {}

  /** The bytes. */
  public MemorySegment memory() {
    return memory;
  }

  /** Takes over what lies there; the caller has seen to it that there are enough bytes. */
  public Envelope read(MemorySegment from, long offset) {
    MemorySegment.copy(from, offset, memory, 0, BYTES);
    return this;
  }

  Envelope set(int kind, int flags, int context, int tag, int answers, long first, long second) {
    memory.set(INT, 0, kind | flags << 8);
    memory.set(INT, 4, context);
    memory.set(INT, 8, tag);
    memory.set(INT, 12, answers);
    memory.set(LONG, 16, first);
    memory.set(LONG, 24, second);
    return this;
  }

  /** Puts in what the message says that it belongs to, 16 bits. */
  Envelope mark(int mark) {
    memory.set(SHORT, 2, (short) mark);
    return this;
  }

  Envelope setClearToSend(long key, long sendId, long receiveId) {
    memory.set(INT, 0, CTS);
    memory.set(INT, 4, 0);
    memory.set(LONG, 8, key);
    memory.set(LONG, 16, sendId);
    memory.set(LONG, 24, receiveId);
    return this;
  }

  int kind() {
    return memory.get(INT, 0) & 0xff;
  }

  int flags() {
    return memory.get(INT, 0) >>> 8 & 0xff;
  }

  int mark() {
    return memory.get(SHORT, 2) & 0xffff;
  }

  int context() {
    return memory.get(INT, 4);
  }

  int tag() {
    return memory.get(INT, 8);
  }

  int answers() {
    return memory.get(INT, 12);
  }

  long key() {
    return memory.get(LONG, 8);
  }

  long first() {
    return memory.get(LONG, 16);
  }

  long second() {
    return memory.get(LONG, 24);
  }
}
