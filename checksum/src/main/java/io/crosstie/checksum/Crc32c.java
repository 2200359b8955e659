// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * CRC-32C by the intrinsic of {@link CRC32C}, and together with a copy by an {@link Accelerator}
 * where there is one. A table-driven computation is no match for the intrinsic from 12 bytes on and
 * gains little below.
 *
 * <p>The state is the register of the computation. The JDK's object keeps its own, which one can
 * only reset; when it differs, since another computation came between, the object is fed the four
 * bytes that lead it there.
 */
final class Crc32c extends BlockChecksum {

  private static final int INITIAL = -1;
  private static final int POLYNOMIAL = 0x82F63B78; // 0x1EDC6F41 with its bits reversed

  /** Below that many bytes one pass by an accelerator costs more than it gains. */
  private static final int LEAST_IN_ONE_PASS = 512;

  /** What copies and sums in one pass, or null. */
  private final @Nullable Accelerator onePass;

  private final CRC32C crc = new CRC32C();
  private final PrivateViews views = new PrivateViews();

  Crc32c(@Nullable Accelerator accelerator) {
    this.onePass = accelerator != null && accelerator.sumsCopies() ? accelerator : null;
  }

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.CRC32C;
  }

  @Override
  public int compute(byte[] src, int offset, int length) {
    crc.reset(); // an open computation finds its register again: see absorb
    crc.update(src, offset, length);
    return (int) crc.getValue();
  }

  @Override
  public long begin() {
    return INITIAL;
  }

  @Override
  long absorb(long state, int length) {
    resume(state);
    crc.update(scratch, 0, length);
    return register();
  }

  @Override
  @Nullable ByteBuffer view(MemorySegment segment) {
    return views.of(segment);
  }

  @Override
  long absorbInPlace(long state, ByteBuffer view, int from, int length) {
    resume(state);
    crc.update(view.limit(from + length).position(from));
    return register();
  }

  @Override
  public long updateCopy(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length) {
    Accelerator loop = onePass(src, dst, length);
    return loop != null
        ? loop.copyCrc32c((int) state, src, srcOffset, dst, dstOffset, length, false)
        : super.updateCopy(state, src, srcOffset, dst, dstOffset, length);
  }

  @Override
  public long updateShared(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length,
      @Nullable Accelerator streamer) {
    Accelerator loop = onePass(src, dst, length);
    return loop != null
        ? loop.copyCrc32c((int) state, src, srcOffset, dst, dstOffset, length, streamer != null)
        : super.updateShared(state, src, srcOffset, dst, dstOffset, length, streamer);
  }

  private @Nullable Accelerator onePass(MemorySegment src, MemorySegment dst, long length) {
    Accelerator loop = onePass;
    boolean takes =
        loop != null
            && length >= LEAST_IN_ONE_PASS
            && stays(src)
            && stays(dst)
            && !dst.isReadOnly();
    return takes ? loop : null;
  }

  /** Neither memory that the collector moves nor a file that somebody may truncate. */
  private static boolean stays(MemorySegment segment) {
    return segment.isNative() && !segment.isMapped();
  }

  private void resume(long state) {
    int register = (int) state;
    if (register == INITIAL) {
      crc.reset();
    } else if (register != register()) {
      restore(register);
    }
  }

  @Override
  public int finish(long state) {
    return ~(int) state;
  }

  private int register() {
    return ~(int) crc.getValue();
  }

  private void restore(int register) {
    int word = register;
    for (int i = 0; i < Integer.SIZE; i++) {
      word = word < 0 ? ((word ^ POLYNOMIAL) << 1) | 1 : word << 1;
    }
    word ^= INITIAL;
    crc.reset();
    for (int i = 0; i < Integer.BYTES; i++) {
      crc.update(word >>> (i * Byte.SIZE));
    }
  }
}
