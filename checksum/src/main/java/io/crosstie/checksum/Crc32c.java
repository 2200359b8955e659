// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * CRC-32C by the intrinsic of {@link CRC32C}, and together with a copy by {@link CopyingCrc32c}
 * where that can be had. A table-driven computation is no match for the intrinsic from 12 bytes on
 * and gains little below.
 *
 * <p>The state is the register of the computation. The JDK's object keeps its own, which one can
 * only reset; when it differs, since another computation came between, the object is fed the four
 * bytes that lead it there.
 */
final class Crc32c extends BlockChecksum {

  private static final int INITIAL = -1;
  private static final int POLYNOMIAL = 0x82F63B78; // 0x1EDC6F41 with its bits reversed

  /** Known when the first instance is made, so that no packet waits for it. */
  private static final @Nullable CopyingCrc32c COPIES = CopyingCrc32c.best();

  private final CRC32C crc = new CRC32C();
  private final PrivateViews views = new PrivateViews();

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
    CopyingCrc32c onePass = onePass(src, dst, length);
    return onePass != null
        ? inOnePass(onePass, state, src, srcOffset, dst, dstOffset, length, false)
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
      boolean streaming) {
    CopyingCrc32c onePass = onePass(src, dst, length);
    return onePass != null
        ? inOnePass(onePass, state, src, srcOffset, dst, dstOffset, length, streaming)
        : super.updateShared(state, src, srcOffset, dst, dstOffset, length, streaming);
  }

  private static @Nullable CopyingCrc32c onePass(
      MemorySegment src, MemorySegment dst, long length) {
    return length >= CopyingCrc32c.LEAST_BYTES && CopyingCrc32c.takes(src, dst) ? COPIES : null;
  }

  private static long inOnePass(
      CopyingCrc32c onePass,
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length,
      boolean streaming) {
    check(src, srcOffset, length);
    check(dst, dstOffset, length);
    return onePass.copy((int) state, src, srcOffset, dst, dstOffset, length, streaming);
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
