// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;

/** The part of each rank in memory; parts may differ in length, also be empty. */
@FunctionalInterface
public interface Blocks {
  /** That of a rank. */
  MemorySegment of(int rank);

  /** As many as there are ranks, of equal length, side by side. */
  static Blocks even(MemorySegment all, int size) {
    long bytes = all.byteSize() / size;
    return rank -> all.asSlice(rank * bytes, bytes);
  }

  /** As many as there are ranks, in whole elements, as even as that can be. */
  static Blocks shares(MemorySegment all, int size, int elementBytes) {
    long elements = all.byteSize() / elementBytes;
    return rank -> {
      long from = elements * rank / size;
      long to = elements * (rank + 1) / size;
      return all.asSlice(from * elementBytes, (to - from) * elementBytes);
    };
  }
}
