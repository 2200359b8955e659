// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What JVMs compile. With both processors taken by the subject their compilers get what is left
 * over, so how long they take depends on the machine and on how much code the subject has: from 4
 * to 12 seconds was seen. A figure that is taken before tells more of the compiler than of the
 * subject. Linux only; elsewhere it is always 0.
 */
final class CompilerTime {
  /** A warm-up is at most so many times as long as it is meant to be. */
  private static final int MOST_TIMES = 4;

  private static final long LOOK_NS = 250_000_000L;
  private static final int LOOKS = 4;

  /** Together, over all looks: three hundredths of a processor. */
  private static final long QUIET_NS = 30_000_000L;

  private static final String COMPILER = "CompilerThre"; // the kernel keeps 15 characters

  /** Fields of a thread's line behind its name: user and system time. */
  private static final int[] TIMES = {11, 12};

  private CompilerTime() {}

  /** Waits for at least so long, and until none of them has compiled much for a second. */
  static void awaitQuiet(List<ProcessHandle> processes, long leastNs) {
    long beganNs = System.nanoTime();
    sleepUntil(beganNs + leastNs - LOOKS * LOOK_NS);
    ArrayDeque<Long> lately = new ArrayDeque<>();
    long elapsedNs = System.nanoTime() - beganNs;
    while (elapsedNs < MOST_TIMES * leastNs) {
      long ns = processes.stream().mapToLong(CompilerTime::ofNs).sum();
      lately.add(ns);
      boolean enough = elapsedNs >= leastNs && lately.size() > LOOKS;
      if (enough && ns - lately.getFirst() <= QUIET_NS) {
        return;
      }
      if (lately.size() > LOOKS) {
        lately.removeFirst();
      }
      sleepUntil(System.nanoTime() + LOOK_NS);
      elapsedNs = System.nanoTime() - beganNs;
    }
  }

  private static void sleepUntil(long ns) {
    for (long left = ns - System.nanoTime(); left > 0; left = ns - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** Processor time that a process's compilers have taken; one that has ended counts no more. */
  static long ofNs(ProcessHandle process) {
    long ticks = 0;
    Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        ticks += ticks(thread);
      }
    } catch (IOException e) {
      return 0; // not on this system, or it has just ended
    }
    return (long) (ticks * ForeignLoad.NS_PER_TICK);
  }

  private static long ticks(Path thread) {
    try {
      if (!Files.readString(thread.resolve("comm")).contains(COMPILER)) {
        return 0;
      }
      String line = Files.readString(thread.resolve("stat"));
      String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
      long ticks = 0;
      for (int field : TIMES) {
        ticks += Long.parseLong(fields[field]);
      }
      return ticks;
    } catch (IOException e) {
      return 0; // the thread has just ended
    }
  }
}
