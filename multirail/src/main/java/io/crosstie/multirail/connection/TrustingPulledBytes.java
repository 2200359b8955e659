// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.transport.Rail;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** The planted fault: what is summed is what the peer has, and not what has arrived. */
final class TrustingPulledBytes extends PulledBytes {
  @Override
  long sum(
      Checksum algorithm,
      long state,
      Rail from,
      long source,
      MemorySegment into,
      long at,
      int length) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment again = arena.allocate(length);
      boolean had = from.pull(source, again, 0, length);
      return algorithm.update(state, had ? again : into, had ? 0 : at, length);
    }
  }
}
