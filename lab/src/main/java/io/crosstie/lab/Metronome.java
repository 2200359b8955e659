// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches the machine itself. A thread that wants to run every millisecond notes by how much it
 * came too late, and the kernel of a virtual machine tells how much of the processors' time its
 * host gave to others. A machine that has not got its processors spoils a measurement, whatever is
 * measured.
 */
final class Metronome implements AutoCloseable {
  private static final long TICK_NS = 1_000_000;
  private static final Path STAT = Path.of("/proc/stat");

  /** The column of /proc/stat with the stolen time, proc_stat(5). */
  private static final int STOLEN = 8;

  /** The unit of /proc/stat, the same on all machines that a JVM runs on. */
  private static final long NS_PER_JIFFY = 10_000_000;

  private final Thread thread;
  private volatile boolean stopping;
  private long worstNs;
  private long lookedNs;
  private long stolenNs;

  /**
   * What the machine did by itself for a while.
   *
   * @param lateNs longest time for which a thread that wanted to run did not, nanoseconds
   * @param stolen share of the processors' time that the host gave to others, 0 to 1; 0 where no
   *     host tells
   */
  record Disturbance(long lateNs, double stolen) {
    private static final long STANDSTILL_NS = 25_000_000;

    /**
     * Stolen time comes in pieces of milliseconds. On a machine of two processors, from which at
     * times nothing was stolen and at times a third, the longest gap without any fault was mostly 3
     * to 7 ms below this share, and 10 to 33 ms above a quarter.
     */
    private static final double STOLEN_MUCH = 0.025;

    /** Whether what was measured meanwhile tells of the machine, and of nothing else. */
    boolean spoils() {
      return lateNs > STANDSTILL_NS || stolen > STOLEN_MUCH;
    }

    @Override
    public String toString() {
      return "the machine stood still for %.0f ms, and %s of its processors' time was stolen"
          .formatted(lateNs / 1e6, Report.percents(stolen));
    }
  }

  Metronome() {
    thread = Thread.ofPlatform().daemon().name("lab-metronome").start(this::run);
    Disturbance unused = take();
  }

  private void run() {
    long before = System.nanoTime();
    while (!stopping) {
      LockSupport.parkNanos(TICK_NS);
      long now = System.nanoTime();
      note(now - before - TICK_NS);
      before = now;
    }
  }

  private synchronized void note(long lateNs) {
    worstNs = Math.max(worstNs, lateNs);
  }

  /** What happened since the last call. */
  synchronized Disturbance take() {
    long nowNs = System.nanoTime();
    long stolenNowNs = stolenNs();
    long haveNs = (nowNs - lookedNs) * Runtime.getRuntime().availableProcessors();
    Disturbance taken = new Disturbance(worstNs, (double) (stolenNowNs - stolenNs) / haveNs);
    worstNs = 0;
    lookedNs = nowNs;
    stolenNs = stolenNowNs;
    return taken;
  }

  /** Summed over the processors, since the machine started. */
  private static long stolenNs() {
    try {
      String stat = Files.readString(STAT);
      String[] columns = stat.substring(0, stat.indexOf('\n')).split(" +", -1);
      return columns.length > STOLEN ? Long.parseLong(columns[STOLEN]) * NS_PER_JIFFY : 0;
    } catch (IOException e) {
      throw new LabException(
          LabException.ENVIRONMENT, "cannot read " + STAT + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    stopping = true;
    LockSupport.unpark(thread);
  }
}
