// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/**
 * What both ends counted in one round of one case.
 *
 * @param foreignLoad processors that other programs kept busy meanwhile
 * @param bounceBeforeNs what {@link Bounce} said before, 0 if nobody looked
 * @param bounceAfterNs what it said after
 */
record Measured(
    Tally near, Tally far, double foreignLoad, double bounceBeforeNs, double bounceAfterNs) {
  Measured(Tally near, Tally far) {
    this(near, far, 0, 0, 0);
  }

  /** The same, with what was seen before and after, in ns. */
  Measured between(double beforeNs, double afterNs) {
    return new Measured(near, far, foreignLoad, beforeNs, afterNs);
  }

  Placement placement() {
    return Placement.of(bounceBeforeNs, bounceAfterNs);
  }

  double bounceNs() {
    return (bounceBeforeNs + bounceAfterNs) / 2;
  }

  double megabytesPerSecond(Bench bench) {
    return bench.measuresBothEnds()
        ? near.megabytesPerSecond() + far.megabytesPerSecond()
        : far.megabytesPerSecond();
  }

  double messagesPerSecond(Bench bench) {
    return bench.measuresBothEnds()
        ? near.messagesPerSecond() + far.messagesPerSecond()
        : far.messagesPerSecond();
  }

  /** Processor time of both processes for each 10^9 bytes that arrived. */
  double cpuSecondsPerGigabyte(Bench bench) {
    double gigabytesPerSecond = megabytesPerSecond(bench) / 1e3;
    return gigabytesPerSecond == 0
        ? 0
        : (near.processors() + far.processors()) / gigabytesPerSecond;
  }

  /** Of one process, in percent of a core: the mean of both. */
  double idlePercent() {
    return 100 * (near.processors() + far.processors()) / 2;
  }

  long allocatedBytes() {
    return near.allocatedBytes() + far.allocatedBytes();
  }
}
