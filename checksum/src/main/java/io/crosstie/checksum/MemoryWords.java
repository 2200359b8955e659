// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The 64-bit words of one segment, for whoever reads and writes a few of them for every message. A
 * word of native memory accessed through its segment costs some thirty instructions, since bounds,
 * arena, owner and kind of memory are judged each time anew; through this class a few. Where native
 * access is denied to this module, and for memory of the heap, every access goes through the
 * segment after all.
 *
 * <p>So the caller answers for what a segment would check: offsets lie within it, and its arena is
 * open. (Assertions check the former.) Memory that is truncated by another process shows as an
 * {@link InternalError}, as with segments.
 *
 * <p>Words are in the host's byte order. Keeps the segment alive. As safe for threads as the
 * segment.
 */
public final class MemoryWords {
  private static final VarHandle LONG = JAVA_LONG.varHandle().withInvokeExactBehavior();

  /** All addresses, as one segment whose checks the compiler knows the outcome of; or null. */
  private static final @Nullable MemorySegment ALL = all();

  private final MemorySegment segment;

  private final boolean byAddress;

  /** Of the segment in {@link #memory()}. */
  private final long base;

  private MemoryWords(MemorySegment segment) {
    this.segment = segment;
    this.byAddress = ALL != null && segment.isNative();
    this.base = byAddress ? segment.address() : 0;
  }

  @SuppressWarnings("restricted") // every user answers for what it accesses
  private static @Nullable MemorySegment all() {
    try {
      return MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    } catch (RuntimeException e) { // native access is denied
      return null;
    }
  }

  /**
   * The words of a segment.
   *
   * @param segment aligned to 8 bytes; on the heap an array of long
   */
  public static MemoryWords of(MemorySegment segment) {
    return new MemoryWords(segment);
  }

  /** The segment. */
  public MemorySegment segment() {
    return segment;
  }

  private MemorySegment memory() {
    return ALL != null && byAddress ? ALL : segment;
  }

  private long at(long offset) {
    assert offset >= 0 && offset <= segment.byteSize() - Long.BYTES && (offset & 7) == 0
        : offset + " of " + segment;
    return base + offset;
  }

  /**
   * Reads a word.
   *
   * @param offset in bytes, a multiple of 8
   */
  public long get(long offset) {
    return (long) LONG.get(memory(), at(offset));
  }

  /**
   * Writes a word.
   *
   * @param offset in bytes, a multiple of 8
   */
  public void set(long offset, long word) {
    LONG.set(memory(), at(offset), word);
  }

  /**
   * Reads a word; what follows is read later.
   *
   * @param offset in bytes, a multiple of 8
   */
  public long getAcquire(long offset) {
    return (long) LONG.getAcquire(memory(), at(offset));
  }

  /**
   * Writes a word; what came before was written earlier.
   *
   * @param offset in bytes, a multiple of 8
   */
  public void setRelease(long offset, long word) {
    LONG.setRelease(memory(), at(offset), word);
  }

  /**
   * Reads a word now, without order.
   *
   * @param offset in bytes, a multiple of 8
   */
  public long getOpaque(long offset) {
    return (long) LONG.getOpaque(memory(), at(offset));
  }

  /**
   * Writes a word for others to see in finite time, without order.
   *
   * @param offset in bytes, a multiple of 8
   */
  public void setOpaque(long offset, long word) {
    LONG.setOpaque(memory(), at(offset), word);
  }
}
