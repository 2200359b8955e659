// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A 32-bit checksum over memory segments, native, mapped or on the heap, and over arrays, at any
 * alignment.
 *
 * <p><b>Hostile memory.</b> The memory given may be shared with a process that changes it meanwhile
 * or truncates the file behind it. Therefore it is only ever touched by the bulk copies of {@link
 * MemorySegment}: each block is first copied into scratch memory of the instance, summed there,
 * and, by the copying methods, written to the destination from there. The checksum returned thus is
 * that of the bytes written to the destination, whatever happened to the source. Memory that has
 * gone shows as an {@link InternalError}, never as a crash. A block is small enough to stay in the
 * first-level cache. Only native memory that is not mapped, which belongs to this process alone,
 * may be summed where it lies: a destination after the copy, or a source that is not copied. With
 * an {@link Accelerator} CRC-32C also copies and sums in one pass, where both segments are native
 * and not mapped; memory made from an address has to be such that nobody can truncate it.
 *
 * <p><b>Pieces.</b> Data that lies in several pieces is summed by {@link #begin}, any number of
 * {@link #update} and {@link #updateCopy}, and {@link #finish}, each handing its state on to the
 * next; where the cuts lie never changes the result. One such computation is open at a time per
 * instance, since a state may be completed by fields of the instance; {@link #begin} abandons an
 * open one. The {@code compute} methods and {@link #copy} do not disturb an open computation.
 *
 * <p><b>Threads.</b> An instance belongs to one thread at a time. It holds some kilobytes of
 * scratch memory and keeps no segment or array alive. None of the methods allocates, apart from a
 * few bytes when a range of a kilobyte or more in native memory is met for the first time.
 *
 * <p><b>Errors.</b> Offsets and lengths are in bytes and may exceed 2 GiB. Every method that takes
 * a segment or array throws {@link IndexOutOfBoundsException} if a range does not lie in it, before
 * anything is copied. Unless the length is 0, it throws {@link IllegalStateException} if the arena
 * of a segment is closed, {@link WrongThreadException} if the segment belongs to another thread and
 * {@link IllegalArgumentException} if a destination is read-only; the destination then may have
 * been written in part, and a computation that was open must be begun again.
 */
public abstract sealed class Checksum permits BlockChecksum, NoChecksum {

  /** So much is summed and then copied at a time: half of a first-level cache. */
  private static final long SHARED_BLOCK = 16 << 10;

  Checksum() {}

  /** Returns a new instance that computes checksums of the given kind, in Java. */
  public static Checksum of(ChecksumKind kind) {
    return of(kind, null);
  }

  /**
   * Returns a new instance that computes checksums of the given kind.
   *
   * @param accelerator whose loops copy and sum where it has one for that kind; null for Java alone
   */
  public static Checksum of(ChecksumKind kind, @Nullable Accelerator accelerator) {
    return switch (kind) {
      case NONE -> new NoChecksum();
      case CRC32C -> new Crc32c(accelerator);
      case SUM -> new Sum();
      case XOR -> new Xor();
      case ADLER32 -> new Adler();
      case FLETCHER64 -> new Fletcher64();
      case FNV1A -> new Fnv1a();
      case JENKINS_OAAT -> new JenkinsOneAtATime();
      case MURMUR -> new Murmur3();
      case SUPERFAST -> new SuperFast();
    };
  }

  /** Returns the kind of checksum this instance computes. */
  public abstract ChecksumKind kind();

  /**
   * Returns the checksum of a range.
   *
   * @param src the segment to read
   * @param offset where the range starts in {@code src}, in bytes
   * @param length the length of the range in bytes
   */
  public int compute(MemorySegment src, long offset, long length) {
    return finish(update(begin(), src, offset, length));
  }

  /**
   * Returns the checksum of a range of an array.
   *
   * @param src the array to read, private to the caller
   * @param offset where the range starts in {@code src}, in bytes
   * @param length the length of the range in bytes
   */
  public abstract int compute(byte[] src, int offset, int length);

  /**
   * Copies a range and returns the checksum of the bytes written to the destination.
   *
   * <p>If the ranges overlap, neither what ends up in the destination nor the checksum is
   * specified; no byte outside the destination is written.
   *
   * @param src the segment to read
   * @param srcOffset where the range starts in {@code src}, in bytes
   * @param dst the segment to write
   * @param dstOffset where the copy starts in {@code dst}, in bytes
   * @param length the number of bytes to copy
   */
  public int copy(
      MemorySegment src, long srcOffset, MemorySegment dst, long dstOffset, long length) {
    return finish(updateCopy(begin(), src, srcOffset, dst, dstOffset, length));
  }

  /** Begins a computation in pieces and returns its state, which has no meaning to the caller. */
  public abstract long begin();

  /**
   * Continues a computation with a range.
   *
   * @param state the state returned by the step before
   * @param src the segment to read
   * @param offset where the range starts in {@code src}, in bytes
   * @param length the length of the range in bytes
   * @return the state for the next step
   */
  public abstract long update(long state, MemorySegment src, long offset, long length);

  /**
   * Copies a range and continues a computation with the bytes written to the destination; overlap
   * is as for {@link #copy}.
   *
   * @param state the state returned by the step before
   * @param src the segment to read
   * @param srcOffset where the range starts in {@code src}, in bytes
   * @param dst the segment to write
   * @param dstOffset where the copy starts in {@code dst}, in bytes
   * @param length the number of bytes to copy
   * @return the state for the next step
   */
  public abstract long updateCopy(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length);

  /**
   * Copies a range to memory that another process may change meanwhile, and continues a computation
   * with the bytes of the source, which nobody else changes. The destination is not read.
   *
   * @param state the state returned by the step before
   * @param src the segment to read
   * @param srcOffset where the range starts in {@code src}, in bytes
   * @param dst the segment to write, which does not overlap
   * @param dstOffset where the copy starts in {@code dst}, in bytes
   * @param length the number of bytes to copy
   * @param streamer by whose streaming stores, which then have to be ordered, between segments as
   *     {@link Accelerator#stream} takes them; null for ordinary stores
   * @return the state for the next step
   */
  public long updateShared(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length,
      @Nullable Accelerator streamer) {
    check(src, srcOffset, length);
    check(dst, dstOffset, length);
    long next = state;
    for (long done = 0; done < length; done += SHARED_BLOCK) {
      long n = Math.min(SHARED_BLOCK, length - done); // is copied while it is in the cache
      next = update(next, src, srcOffset + done, n);
      if (streamer != null) {
        streamer.stream(src, srcOffset + done, dst, dstOffset + done, n);
      } else {
        MemorySegment.copy(src, srcOffset + done, dst, dstOffset + done, n);
      }
    }
    return next;
  }

  /**
   * Ends a computation.
   *
   * @param state the state returned by the last step
   * @return the checksum of all pieces in the order given
   */
  public abstract int finish(long state);

  /** Checks that a range lies in a segment. */
  static void check(MemorySegment segment, long offset, long length) {
    Objects.checkFromIndexSize(offset, length, segment.byteSize());
  }
}
