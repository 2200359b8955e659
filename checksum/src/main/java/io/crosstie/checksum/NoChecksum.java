// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** The absence of a checksum. */
final class NoChecksum extends Checksum {

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.NONE;
  }

  @Override
  public int compute(byte[] src, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, src.length);
    return 0;
  }

  @Override
  public long begin() {
    return 0;
  }

  @Override
  public long update(long state, MemorySegment src, long offset, long length) {
    check(src, offset, length);
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
    // With layouts, the copy is one call at any length; BlockChecksum tells why that matters. It
    // checks both ranges first.
    MemorySegment.copy(src, JAVA_BYTE, srcOffset, dst, JAVA_BYTE, dstOffset, length);
    return 0;
  }

  @Override
  public int finish(long state) {
    return 0;
  }
}
