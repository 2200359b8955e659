// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/**
 * What one end counted.
 *
 * @param bytes received by who measures the arrival, else sent, in the measured time
 * @param messages likewise
 * @param elapsedNs the measured time
 * @param cpuNs processor time of the whole process in the measured time
 * @param allocatedBytes by the measuring thread in the measured time
 * @param lostBytes that never came, in a verifying run of a subject that may lose
 * @param histogram of nanoseconds, encoded; empty if there is none
 * @param note from the subject, for the report
 */
record Tally(
    long bytes,
    long messages,
    long elapsedNs,
    long cpuNs,
    long allocatedBytes,
    long lostBytes,
    String histogram,
    String note) {
  double megabytesPerSecond() {
    return elapsedNs == 0 ? 0 : bytes * 1e3 / elapsedNs;
  }

  double messagesPerSecond() {
    return elapsedNs == 0 ? 0 : messages * 1e9 / elapsedNs;
  }

  /** How many processors it kept busy. */
  double processors() {
    return elapsedNs == 0 ? 0 : (double) cpuNs / elapsedNs;
  }
}
