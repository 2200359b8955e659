// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.util.SplittableRandom;

/** Test data. */
final class Bytes {

  private Bytes() {}

  /** Returns seeded random bytes. */
  static byte[] random(long seed, int length) {
    byte[] bytes = new byte[length];
    new SplittableRandom(seed).nextBytes(bytes);
    return bytes;
  }
}
