// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.reliability.channel.FragmentSource;
import io.crosstie.transport.Rail;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A fragment that lies in the memory of the peer's process: one copy takes it to its place, where
 * it is summed while it is in the cache. Used again for every reference.
 */
class PulledBytes implements FragmentSource {
  /** What is copied before it is summed: a part of a second-level cache. */
  private static final int BLOCK = 128 << 10;

  private @Nullable Rail rail;
  private long address;
  private boolean failed;

  PulledBytes at(@Nullable Rail pulledBy, long peerAddress) {
    rail = pulledBy;
    address = peerAddress;
    failed = false;
    return this;
  }

  /** Whether the last one could not be had. */
  boolean failed() {
    return failed;
  }

  @Override
  public long copy(MemorySegment into, long at, int length, Checksum algorithm) {
    Rail from = rail;
    if (from == null || !from.pulls()) {
      failed = true;
      return FAILED;
    }
    long state = algorithm.begin();
    for (int done = 0; done < length; done += BLOCK) {
      int block = Math.min(BLOCK, length - done);
      if (!from.pull(address + done, into, at + done, block)) {
        failed = true;
        return FAILED;
      }
      state = sum(algorithm, state, from, address + done, into, at + done, block);
    }
    return Integer.toUnsignedLong(algorithm.finish(state));
  }

  /** Of a block that has been copied. */
  long sum(
      Checksum algorithm,
      long state,
      Rail from,
      long source,
      MemorySegment into,
      long at,
      int length) {
    return algorithm.update(state, into, at, length);
  }
}
