// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.invoke.VarHandle;

/**
 * Where things are in a segment, in bytes. All words are 64-bit, aligned, in the byte order of the
 * host.
 *
 * <pre>
 *     0  header: magic, version, generation, bytes of each ring (written once, before the offer)
 *   512  where the initiator's probe lies in its process, and what it holds; 0 if it is not to be
 *   576  the same of the acceptor                                                         read
 *  1024  control of direction 0, initiator to acceptor
 *  2048  control of direction 1, acceptor to initiator
 *  4096  ring of direction 0, then ring of direction 1
 *
 *  control:   0  consumer's position, in bytes since the beginning   } written by the consumer
 *             8  packets consumed since the beginning                }
 *           128  sleeping flag: raised by the consumer, lowered by both
 *           256  768 bytes kept free for negative acknowledgements, so that data cannot exhaust them
 *
 *  ring:    records aligned to 64 bytes: a commit word, then the packet; a record never wraps
 *
 *  commit word:  bits 0-23 length, bits 24-31 kind, bits 32-63 record's position / 64
 * </pre>
 *
 * <p>The words that one side writes often share no 128 bytes with words of the other (neighbouring
 * cache lines are fetched in pairs). A packet of up to 56 bytes and its commit word fill one line,
 * so that a single transfer between two cores carries it.
 *
 * <p>The word of the record that comes next is zero before the record ahead of it is published;
 * that, not the stamp in it, keeps old packet bytes from being taken for a commit word. The stamp
 * makes forged and torn words show.
 */
final class SegmentLayout {
  /** "XTIESHM" and a byte that no text ends with; also shows a foreign byte order. */
  static final long MAGIC = 0x5854_4945_5348_4d9aL;

  static final long VERSION = 1;

  static final long MAGIC_OFFSET = 0;
  static final long VERSION_OFFSET = 8;
  static final long GENERATION_OFFSET = 16;
  static final long RING_BYTES_OFFSET = 24;

  static final long PROBE_OFFSET = 512;
  static final long PROBE_ADDRESS = 0;
  static final long PROBE_VALUE = 8;

  static final long CONTROL_OFFSET = 1024;
  static final long CONTROL_BYTES = 1024;
  static final long POSITION = 0;
  static final long COUNT = 8;
  static final long SLEEPING = 128;

  static final long RINGS_OFFSET = 4096;

  /** Smallest ring: carries packets of 4 KiB, more than the base packet of the core. */
  static final long MIN_RING_BYTES = 16 << 10;

  static final long MAX_RING_BYTES = 1L << 30;

  /** A cache line: alignment of records. */
  static final int LINE = 64;

  /** Bytes of the commit word. */
  static final int WORD = 8;

  private static final int MAX_RECORD = 64 << 10;

  /** A packet. */
  static final int KIND_PACKET = 1;

  /** A packet that was sent outside of any rail and that the consumer does not count. */
  static final int KIND_REPLY = 2;

  /** The rest of the ring is unused; the length includes the commit word. */
  static final int KIND_PADDING = 3;

  /** A word of the segment, with its modes of access. */
  static final VarHandle LONG = JAVA_LONG.varHandle();

  private SegmentLayout() {}

  /** Of the side that produces that direction. */
  static long probe(int direction) {
    return PROBE_OFFSET + (long) direction * LINE;
  }

  static long control(int direction) {
    return CONTROL_OFFSET + direction * CONTROL_BYTES;
  }

  static long ring(int direction, long ringBytes) {
    return RINGS_OFFSET + direction * ringBytes;
  }

  static long totalBytes(long ringBytes) {
    return RINGS_OFFSET + 2 * ringBytes;
  }

  static boolean validRingBytes(long ringBytes) {
    return ringBytes >= MIN_RING_BYTES
        && ringBytes <= MAX_RING_BYTES
        && Long.bitCount(ringBytes) == 1;
  }

  /**
   * Longest packet: one record is at most a quarter of the ring, so that it fits wherever the ring
   * wraps.
   */
  static int maxPacketLength(long ringBytes) {
    return (int) Math.min(MAX_RECORD, ringBytes / 4) - WORD;
  }

  static int recordBytes(int length) {
    return (length + WORD + LINE - 1) & -LINE;
  }

  static long commitWord(long position, int kind, long length) {
    return (position >>> 6) << 32 | (long) kind << 24 | length;
  }

  static int stamp(long word) {
    return (int) (word >>> 32);
  }

  static int kind(long word) {
    return (int) (word >>> 24) & 0xff;
  }

  static int length(long word) {
    return (int) word & 0xff_ffff;
  }
}
