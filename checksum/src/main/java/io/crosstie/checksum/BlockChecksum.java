// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A checksum computed block by block in scratch memory, as {@link Checksum} describes; subclasses
 * only ever see the scratch array.
 *
 * <p>Segments are only accessed by the copies from and to arrays. Reading and writing words, and
 * below 64 bytes the copy from segment to segment, turn into virtual calls at each word once
 * segments of native, mapped and heap memory have passed through the same methods of the JDK
 * anywhere in the process: a copy of 40 bytes then takes 95 or 60 ns in place of 25. For the same
 * reason the scratch memory is an array, not a segment.
 */
abstract sealed class BlockChecksum extends Checksum
    permits Adler, Crc32c, Fnv1a, JenkinsOneAtATime, WordChecksum {

  /**
   * Bytes per block. Of 4, 8 and 16 KiB this is the fastest for copies of 64 KiB and of 1 MiB, by
   * up to a tenth: source, scratch and destination blocks fit a cache of 32 KiB together.
   */
  static final int BLOCK = 8 << 10;

  /**
   * Below that a look for a buffer costs more than one more copy of the block, which is in the
   * first-level cache anyway.
   */
  static final int LEAST_IN_PLACE = 1 << 10;

  /** Bytes summed in place at a time, right after they were copied there. */
  static final int BLOCK_IN_PLACE = 16 << 10;

  /** Views an array as little-endian 32-bit words at any alignment. */
  static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Views an array as little-endian 64-bit words at any alignment. */
  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN)
          .withInvokeExactBehavior();

  /** Holds the block at hand from index 0. */
  final byte[] scratch = new byte[BLOCK];

  /**
   * Continues a computation with the block in {@link #scratch}.
   *
   * @param state the state so far
   * @param length the length of the block, 0 to {@link #BLOCK} bytes
   * @return the new state
   */
  abstract long absorb(long state, int length);

  /**
   * A buffer by which {@link #absorbInPlace} reads the segment's memory where it lies, or null if
   * it cannot or must not.
   */
  @Nullable ByteBuffer view(MemorySegment segment) {
    return null;
  }

  /** Continues a computation with a range of a buffer that {@link #view} gave. */
  long absorbInPlace(long state, ByteBuffer view, int from, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public int compute(byte[] src, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, src.length);
    long state = begin();
    for (int done = 0; done < length; done += BLOCK) {
      int n = Math.min(BLOCK, length - done);
      System.arraycopy(src, offset + done, scratch, 0, n);
      state = absorb(state, n);
    }
    return finish(state);
  }

  @Override
  public final long update(long state, MemorySegment src, long offset, long length) {
    if (length >= 0 && length < LEAST_IN_PLACE) {
      return updateBlock(state, src, offset, (int) length);
    }
    check(src, offset, length);
    ByteBuffer view = view(src);
    return view == null
        ? updateBlocks(state, src, offset, length)
        : absorbInPlace(state, view, (int) offset, (int) length);
  }

  private long updateBlocks(long state, MemorySegment src, long offset, long length) {
    long next = state;
    for (long done = 0; done < length; done += BLOCK) {
      int n = (int) Math.min(BLOCK, length - done);
      next = updateBlock(next, src, offset + done, n);
    }
    return next;
  }

  @Override
  public long updateCopy(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length) {
    if (length >= 0 && length < LEAST_IN_PLACE) {
      return updateCopyBlock(state, src, srcOffset, dst, dstOffset, (int) length);
    }
    check(src, srcOffset, length);
    check(dst, dstOffset, length);
    ByteBuffer view = view(dst);
    long next = state;
    if (view != null) {
      for (long done = 0; done < length; done += BLOCK_IN_PLACE) {
        long n = Math.min(BLOCK_IN_PLACE, length - done);
        MemorySegment.copy(src, srcOffset + done, dst, dstOffset + done, n);
        MemoryFaults.raise(); // not within what holds the buffer's arena and would not let it go
        next = absorbInPlace(next, view, (int) (dstOffset + done), (int) n);
      }
      return next;
    }
    for (long done = 0; done < length; done += BLOCK) {
      int n = (int) Math.min(BLOCK, length - done);
      next = updateCopyBlock(next, src, srcOffset + done, dst, dstOffset + done, n);
    }
    return next;
  }

  /** Continues with at most a block; the copy itself checks the range. */
  private long updateBlock(long state, MemorySegment src, long offset, int length) {
    MemorySegment.copy(src, ValueLayout.JAVA_BYTE, offset, scratch, 0, length);
    return absorb(state, length);
  }

  /** Copies and continues with at most a block; the copies themselves check the ranges. */
  private long updateCopyBlock(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      int length) {
    MemorySegment.copy(src, ValueLayout.JAVA_BYTE, srcOffset, scratch, 0, length);
    MemorySegment.copy(scratch, 0, dst, ValueLayout.JAVA_BYTE, dstOffset, length);
    return absorb(state, length);
  }
}
