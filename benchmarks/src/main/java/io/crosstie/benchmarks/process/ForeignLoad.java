// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * How much processor time others take from the machine while something is measured: programs that
 * run beside it, and a hypervisor. Linux only; elsewhere it is always 0.
 */
final class ForeignLoad {
  /** Share of one processor from which on figures are doubtful. */
  static final double DOUBTFUL = 0.1;

  private static final Path STAT = Path.of("/proc/stat");

  /** The unit of processor time in /proc. */
  static final double NS_PER_TICK = 1e9 / 100;

  private static final long LOOK_NS = 200_000_000L;

  /** Columns of a processor's line: user, nice and system time, and what a hypervisor took. */
  private static final int[] BUSY = {1, 2, 3, 8};

  private final List<ProcessHandle> own;
  private final double busyNs;
  private final long ownNs;
  private final long startNs;

  private ForeignLoad(List<ProcessHandle> own) {
    this.own = own;
    startNs = System.nanoTime();
    busyNs = busyNs();
    ownNs = ownNs();
  }

  /** Begins to look; what those processes take is not counted. */
  static ForeignLoad since(List<ProcessHandle> own) {
    return new ForeignLoad(own);
  }

  /** Processors that others kept busy since then, 0 or more. */
  double processors() {
    long elapsedNs = Math.max(1, System.nanoTime() - startNs);
    return Math.max(0, (busyNs() - busyNs - (ownNs() - ownNs)) / elapsedNs);
  }

  /** Waits until others leave the machine alone, or for so long; returns how long it waited. */
  static long awaitQuiet(long mostNs) {
    long beginNs = System.nanoTime();
    long waitedNs = 0;
    while (waitedNs < mostNs) {
      ForeignLoad load = since(List.of());
      LockSupport.parkNanos(LOOK_NS);
      waitedNs = System.nanoTime() - beginNs;
      if (load.processors() < DOUBTFUL) {
        break;
      }
    }
    return waitedNs;
  }

  private long ownNs() {
    long sum = 0;
    for (ProcessHandle process : own) {
      sum += process.info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    }
    return sum;
  }

  private static double busyNs() {
    try {
      return Files.isReadable(STAT) ? busyNs(Files.readString(STAT)) : 0;
    } catch (IOException e) {
      return 0; // another system
    }
  }

  /** Of what the file says. */
  static double busyNs(String stat) {
    String[] columns = stat.substring(0, stat.indexOf('\n')).trim().split(" +", -1);
    double ticks = 0;
    for (int column : BUSY) {
      ticks += column < columns.length ? Long.parseLong(columns[column]) : 0;
    }
    return ticks * NS_PER_TICK;
  }
}
