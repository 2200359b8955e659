// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What this process and thread have used up so far. */
final class Resources {
  private static final OperatingSystemMXBean SYSTEM =
      ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);

  private Resources() {}

  /**
   * Asks once for everything, in vain: the first time takes some 25 ms, and a receiver that stood
   * still for so long would measure how the sender copes with that.
   */
  static void prepare() {
    long unused = cpuNs() + allocatedBytes();
  }

  /** Processor time of the whole process, in nanoseconds. */
  static long cpuNs() {
    return SYSTEM.getProcessCpuTime();
  }

  /** Bytes that this thread has allocated. */
  static long allocatedBytes() {
    return THREADS.getCurrentThreadAllocatedBytes();
  }
}
