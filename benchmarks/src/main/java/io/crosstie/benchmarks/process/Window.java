// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/**
 * The measured time of one end: begins when it is told that both are warm, and is over after its
 * time or its number of messages. Looks at the clock only now and then.
 */
final class Window {
  private static final int POLLS_PER_CLOCK = 8;

  private final CaseSpec spec;
  private final Flag counts;
  private long fromNs;
  private long toNs;
  private long fromBytes;
  private long toBytes;
  private long fromCpuNs;
  private long cpuNs;
  private long fromAllocated;
  private long allocated;
  private int polls;

  Window(CaseSpec spec, Flag counts) {
    this.spec = spec;
    this.counts = counts;
    Resources.prepare();
  }

  /**
   * Something was done.
   *
   * @param bytes so far
   * @return whether it is over since just now
   */
  boolean isOverAt(long bytes) {
    if (toNs != 0 || ++polls % POLLS_PER_CLOCK != 0) {
      return false;
    }
    if (fromNs == 0) {
      if (counts.isRaised()) {
        begin(bytes);
      }
      return false;
    }
    if (isEnough(System.nanoTime(), bytes)) {
      end(bytes);
      return true;
    }
    return false;
  }

  private boolean isEnough(long nowNs, long bytes) {
    return spec.messages() > 0
        ? bytes - fromBytes >= spec.messages() * spec.size()
        : nowNs - fromNs >= spec.measureNs();
  }

  private void begin(long bytes) {
    fromBytes = bytes;
    fromCpuNs = Resources.cpuNs();
    fromAllocated = Resources.allocatedBytes();
    fromNs = System.nanoTime();
  }

  private void end(long bytes) {
    toNs = System.nanoTime();
    allocated = Resources.allocatedBytes() - fromAllocated;
    cpuNs = Resources.cpuNs() - fromCpuNs;
    toBytes = bytes;
  }

  /** Ends it now, if it has begun and nothing else has ended it. */
  void close(long bytes) {
    if (fromNs != 0 && toNs == 0) {
      end(bytes);
    }
  }

  Tally tally(long lostBytes, String histogram, String note) {
    long bytes = toBytes - fromBytes;
    return new Tally(
        bytes, bytes / spec.size(), toNs - fromNs, cpuNs, allocated, lostBytes, histogram, note);
  }
}
