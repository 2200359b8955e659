// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Watches the machine itself. On each processor a thread that wants to run every millisecond, and
 * that no thread of the programs under test can hold up, notes by how much it came too late; and
 * the kernel of a virtual machine tells how much of the processors' time its host gave to others. A
 * machine that has not got its processors spoils a measurement, whatever is measured.
 */
final class Metronome implements AutoCloseable {
  private static final long TICK_NS = 1_000_000;
  private static final Path STAT = Path.of("/proc/stat");

  /** The column of /proc/stat with the stolen time, proc_stat(5). */
  private static final int STOLEN = 8;

  /** The unit of /proc/stat, the same on all machines that a JVM runs on. */
  private static final long NS_PER_JIFFY = 10_000_000;

  private static final MethodHandle SCHED_SETSCHEDULER =
      NativeCalls.handle(
          "sched_setscheduler", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle SCHED_SETAFFINITY =
      NativeCalls.handle(
          "sched_setaffinity", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS));
  private static final int CALLER = 0;
  private static final int FIFO = 1;
  private static final int LEAST_PRIORITY = 1;
  private static final int MASK_LONGS = 16; // what the C library takes: 1024 processors
  private static final long MASK_BYTES = MASK_LONGS * (long) Long.BYTES;

  private final List<Thread> threads = new ArrayList<>();
  private volatile boolean ahead = true;
  private volatile boolean stopping;
  private long worstNs;
  private long lookedNs;
  private long stolenNs;

  /**
   * What the machine did by itself for a while.
   *
   * @param lateNs longest time for which a thread that wanted to run did not, nanoseconds
   * @param bearableNs up to when that says nothing of the machine
   * @param stolen share of the processors' time that the host gave to others, 0 to 1; 0 where no
   *     host tells
   */
  record Disturbance(long lateNs, long bearableNs, double stolen) {
    /** Half of the gap that a rail's failure may cost. */
    private static final long STANDSTILL_NS = 5_000_000;

    /** For threads that have to wait for their turn like all others. */
    private static final long LONG_STANDSTILL_NS = 25_000_000;

    /**
     * Stolen time comes in pieces of milliseconds. On a machine of two processors, from which at
     * times nothing was stolen and at times a third, the longest gap without any fault was mostly 3
     * to 7 ms below this share, and 10 to 33 ms above a quarter.
     */
    private static final double STOLEN_MUCH = 0.025;

    /** Whether what was measured meanwhile tells of the machine, and of nothing else. */
    boolean spoils() {
      return lateNs > bearableNs || stolen > STOLEN_MUCH;
    }

    @Override
    public String toString() {
      return "the machine stood still for %.1f ms, and %s of its processors' time was stolen"
          .formatted(lateNs / 1e6, Report.percents(stolen));
    }
  }

  Metronome() {
    for (int i = 0; i < Runtime.getRuntime().availableProcessors(); i++) {
      int processor = i;
      String name = "lab-metronome-" + i;
      threads.add(Thread.ofPlatform().daemon().name(name).start(() -> run(processor)));
    }
    Disturbance unused = take();
  }

  private void run(int processor) {
    if (!goAhead(processor)) {
      ahead = false;
    }
    long before = System.nanoTime();
    while (!stopping) {
      LockSupport.parkNanos(TICK_NS);
      long now = System.nanoTime();
      note(now - before - TICK_NS);
      before = now;
    }
  }

  /**
   * Lets this thread run before all threads without a real-time priority, sched(7); it runs for
   * microseconds only. And on one processor, if that is among those that it may use.
   *
   * @return false if it may not run before others
   */
  private static boolean goAhead(int processor) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mask = arena.allocate(MASK_BYTES, Long.BYTES);
      mask.setAtIndex(JAVA_LONG, processor / Long.SIZE % MASK_LONGS, 1L << processor);
      int unused = (int) SCHED_SETAFFINITY.invokeExact(CALLER, MASK_BYTES, mask);
      MemorySegment priority = arena.allocateFrom(JAVA_INT, LEAST_PRIORITY);
      return (int) SCHED_SETSCHEDULER.invokeExact(CALLER, FIFO, priority) == 0;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
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
    long bearableNs = ahead ? Disturbance.STANDSTILL_NS : Disturbance.LONG_STANDSTILL_NS;
    double stolen = (double) (stolenNowNs - stolenNs) / haveNs;
    Disturbance taken = new Disturbance(worstNs, bearableNs, stolen);
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
      throw new ToolException(
          ToolException.ENVIRONMENT, "cannot read " + STAT + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    stopping = true;
    threads.forEach(LockSupport::unpark);
  }
}
