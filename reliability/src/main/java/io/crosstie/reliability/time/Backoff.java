// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import java.util.random.RandomGenerator;

/**
 * Truncated exponential back-off with jitter (R7; LA-MPI section 3): the wait before transmission n
 * + 1 of a fragment is base · 2^(n-1), cut at a maximum, then spread by an eighth to either side so
 * that what was lost together does not come back together. Without state.
 */
public final class Backoff {
  /** The jitter is the delay shifted right by this, to either side: 12.5 %. */
  public static final int JITTER_SHIFT = 3;

  private static final long LARGEST_NS = Long.MAX_VALUE / 4;

  private Backoff() {}

  /**
   * The delay after so many transmissions.
   *
   * @param baseNs delay after the first transmission, at least 1
   * @param transmissions how often it was sent so far, at least 1
   * @param maxNs where doubling ends, at least 1; the jitter comes on top, so that delays at the
   *     maximum are spread too
   * @param random source of the jitter, one draw a call
   * @return from 7/8 to 9/8 of min(baseNs · 2^(transmissions-1), maxNs), at least 1
   */
  public static long delayNs(long baseNs, int transmissions, long maxNs, RandomGenerator random) {
    if (baseNs <= 0 || transmissions <= 0 || maxNs <= 0) {
      throw new IllegalArgumentException(
          "all must be positive: baseNs %d, transmissions %d, maxNs %d"
              .formatted(baseNs, transmissions, maxNs));
    }
    long delay = truncatedNs(baseNs, transmissions, Math.min(maxNs, LARGEST_NS));
    long spread = delay >> JITTER_SHIFT;
    return delay - spread + random.nextLong(2 * spread + 1);
  }

  /** The same without jitter. */
  static long truncatedNs(long baseNs, int transmissions, long maxNs) {
    int doublings = transmissions - 1;
    if (doublings >= Long.numberOfLeadingZeros(baseNs) - 1) { // the product would overflow
      return maxNs;
    }
    return Math.min(baseNs << doublings, maxNs);
  }
}
