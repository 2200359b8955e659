// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.util.zip.CRC32C;

/** CRC-32C by the JDK's intrinsic. */
final class Crc32c extends Checksum {

  private static final int BLOCK = 8 << 10;

  private final byte[] scratch = new byte[BLOCK];
  private final MemorySegment scratchSegment = MemorySegment.ofArray(scratch);
  private final CRC32C crc = new CRC32C();

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.CRC32C;
  }

  @Override
  public long begin() {
    crc.reset();
    return 0;
  }

  @Override
  public long update(long state, MemorySegment src, long offset, long length) {
    check(src, offset, length);
    for (long done = 0; done < length; done += BLOCK) {
      int n = (int) Math.min(BLOCK, length - done);
      MemorySegment.copy(src, offset + done, scratchSegment, 0, n);
      crc.update(scratch, 0, n);
    }
    return 0;
  }

  @Override
  public long updateCopy(
      long state,
      MemorySegment src,
      long srcOffset,
      MemorySegment dst,
      long dstOffset,
      long length) {
    check(src, srcOffset, length);
    check(dst, dstOffset, length);
    for (long done = 0; done < length; done += BLOCK) {
      int n = (int) Math.min(BLOCK, length - done);
      MemorySegment.copy(src, srcOffset + done, scratchSegment, 0, n);
      crc.update(scratch, 0, n);
      MemorySegment.copy(scratchSegment, 0, dst, dstOffset + done, n);
    }
    return 0;
  }

  @Override
  public int finish(long state) {
    return (int) crc.getValue();
  }
}
