// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory with two rings that two processes have mapped: without a name and sealed ({@link
 * SealedSegment}), or else a file ({@link FileSegment}).
 *
 * <p>The engine's thread only.
 */
abstract class Segment {
  private final Arena arena;
  private final MemorySegment memory;
  private final long ringBytes;
  private final long generation;
  private boolean closed;

  /**
   * One that is mapped.
   *
   * @param arena of the mapping; shared, since the engine's thread is not always the one that
   *     opened the port
   */
  Segment(Arena arena, MemorySegment memory, long ringBytes, long generation) {
    this.arena = arena;
    this.memory = memory;
    this.ringBytes = ringBytes;
    this.generation = generation;
  }

  static void writeHeader(MemorySegment memory, long ringBytes, long generation) {
    memory.set(JAVA_LONG, SegmentLayout.VERSION_OFFSET, SegmentLayout.VERSION);
    memory.set(JAVA_LONG, SegmentLayout.GENERATION_OFFSET, generation);
    memory.set(JAVA_LONG, SegmentLayout.RING_BYTES_OFFSET, ringBytes);
    memory.set(JAVA_LONG, SegmentLayout.MAGIC_OFFSET, SegmentLayout.MAGIC);
  }

  static void checkHeader(MemorySegment memory, long ringBytes, long generation)
      throws IOException {
    check("magic", memory.get(JAVA_LONG, SegmentLayout.MAGIC_OFFSET), SegmentLayout.MAGIC);
    check("version", memory.get(JAVA_LONG, SegmentLayout.VERSION_OFFSET), SegmentLayout.VERSION);
    check("generation", memory.get(JAVA_LONG, SegmentLayout.GENERATION_OFFSET), generation);
    check("ring size", memory.get(JAVA_LONG, SegmentLayout.RING_BYTES_OFFSET), ringBytes);
  }

  private static void check(String what, long found, long expected) throws IOException {
    if (found != expected) {
      throw new IOException(
          "its "
              + what
              + " is "
              + Long.toHexString(found)
              + " and not "
              + Long.toHexString(expected));
    }
  }

  /** All of it. */
  final MemorySegment memory() {
    return memory;
  }

  /** Of each direction. */
  final long ringBytes() {
    return ringBytes;
  }

  final long generation() {
    return generation;
  }

  /** How it is called in the offer. */
  abstract String fileName();

  /** What goes along with the offer; -1 if the peer finds it by its name. */
  int descriptor() {
    return -1;
  }

  /** Whether no process can take any of it away, so that touching it never faults. */
  boolean sealed() {
    return false;
  }

  /** Whether it has become shorter than the mapping, so that parts of it must not be touched. */
  abstract boolean truncated();

  /** What was there for the other side to find it by is not needed any more. */
  abstract void mappedByBoth();

  /** Unmaps; the memory must not be touched any more. Idempotent. */
  final void close() {
    if (!closed) {
      closed = true;
      mappedByBoth();
      arena.close();
      release();
    }
  }

  /** Unmapped: gives back what else it holds. */
  void release() {}
}
