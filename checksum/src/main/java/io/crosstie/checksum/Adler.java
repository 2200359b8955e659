// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.util.zip.Adler32;

/**
 * Adler-32 by the intrinsic of {@link Adler32}, block by block, each from the start; the state is
 * the checksum so far, to which a block's is appended by arithmetic.
 */
final class Adler extends BlockChecksum {

  private static final int MODULUS = 65521; // the largest prime below 65536

  private final Adler32 adler = new Adler32();

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.ADLER32;
  }

  @Override
  public long begin() {
    return 1;
  }

  @Override
  long absorb(long state, int length) {
    adler.reset();
    adler.update(scratch, 0, length);
    long block = adler.getValue();
    // The block's sums assume that the low sum starts at 1; it starts higher by this.
    long excess = (state & 0xFFFF) + MODULUS - 1;
    long low = ((block & 0xFFFF) + excess) % MODULUS;
    long high = ((state >>> 16) + (block >>> 16) + length * excess) % MODULUS;
    return (high << 16) | low;
  }

  @Override
  public int finish(long state) {
    return (int) state;
  }
}
