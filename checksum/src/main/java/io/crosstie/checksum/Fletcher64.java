// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/** Fletcher-64, folded; the state has the sum in its low half and the sum of sums in its high. */
final class Fletcher64 extends WordChecksum {

  private static final long MODULUS = 0xFFFF_FFFFL;

  @Override
  public ChecksumKind kind() {
    return ChecksumKind.FLETCHER64;
  }

  @Override
  long initial() {
    return 0;
  }

  @Override
  long word(long state, int word) {
    long sum = ((state & 0xFFFF_FFFFL) + Integer.toUnsignedLong(word)) % MODULUS;
    long sumOfSums = ((state >>> 32) + sum) % MODULUS;
    return (sumOfSums << 32) | sum;
  }

  @Override
  long words(long state, int from, int count) {
    // A block has at most 2 to the 11th words: the sums stay below 2 to the 44th and 55th.
    long sum = state & 0xFFFF_FFFFL;
    long sumOfSums = state >>> 32;
    for (int i = 0; i < count; i++) {
      sum += Integer.toUnsignedLong((int) INT.get(scratch, from + i * Integer.BYTES));
      sumOfSums += sum;
    }
    return ((sumOfSums % MODULUS) << 32) | (sum % MODULUS);
  }

  @Override
  int result(long state, int partial, long length) {
    long sums = (length & 3) == 0 ? state : word(state, partial);
    return (int) (((sums & 0xFFFF_FFFFL) + 2 * (sums >>> 32)) % MODULUS);
  }
}
