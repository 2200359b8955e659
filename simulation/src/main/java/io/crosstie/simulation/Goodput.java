// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.util.Arrays;

/** When how many bytes had been delivered. */
final class Goodput {
  private long[] timesNs = new long[256];
  private long[] sums = new long[256];
  private int count;

  void delivered(long nowNs, long bytes) {
    if (count == timesNs.length) {
      timesNs = Arrays.copyOf(timesNs, 2 * count);
      sums = Arrays.copyOf(sums, 2 * count);
    }
    timesNs[count] = nowNs;
    sums[count] = bytes + (count == 0 ? 0 : sums[count - 1]);
    count++;
  }

  /**
   * Bytes per second from that time on until most had been delivered: the last ones wait for each
   * other and tell nothing.
   *
   * @return NaN if too little was left to tell
   */
  double since(long fromNs) {
    int first = Arrays.binarySearch(timesNs, 0, count, fromNs);
    first = first < 0 ? -first - 1 : first;
    long most = count == 0 ? 0 : sums[count - 1] / 100 * 95;
    int last = first;
    while (last + 1 < count && sums[last + 1] <= most) {
      last++;
    }
    return last - first < 20
        ? Double.NaN
        : (sums[last] - sums[first]) * 1e9 / (timesNs[last] - timesNs[first]);
  }
}
