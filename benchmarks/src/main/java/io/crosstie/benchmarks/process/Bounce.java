// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;

/**
 * How long a cache line takes from one processor to another and back: two threads spin for some 20
 * ms, ten times that if others take the processors, and hand a number to and fro. Whatever else has
 * a processor of its own has to be idle then.
 */
final class Bounce {
  private static final VarHandle LONG = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long SPIN_NS = 20_000_000;
  private static final int WARM_UPS = 5;
  private static final int TRIPS = 16;
  private static final int MAX_BATCHES = 1 << 15;

  /**
   * Fewer come together only while both threads have to share a processor: it takes longer then.
   */
  private static final int MIN_BATCHES = 100;

  private static final long PATIENCE_NS = 200_000_000;

  /** Spins after which the other thread is thought to wait for this one's processor. */
  private static final int SPINS_PER_PAUSE = 1 << 16;

  private static final long END = -1;

  /** Alone on its line. */
  private static final int AT = 16;

  private final long[] line = new long[2 * AT];

  private Bounce() {}

  /** So that the first figure is none of interpreted code. */
  static void warmUp() {
    for (int i = 0; i < WARM_UPS; i++) {
      double unused = roundTripNs();
    }
  }

  /** Before or after a case: {@link #roundTripNs()}, or 0 if it makes no difference to the case. */
  static double around(CaseSpec spec) {
    return spec.dependsOnPlacement() ? roundTripNs() : 0;
  }

  /**
   * Measures.
   *
   * @return the median in ns, which programs that take a processor for a while do not change; 0 if
   *     there is only one processor
   */
  static double roundTripNs() {
    return Runtime.getRuntime().availableProcessors() < 2 ? 0 : new Bounce().measureNs();
  }

  private double measureNs() {
    Thread other = Thread.ofPlatform().daemon().name("bounce").start(this::answer);
    double[] batchNs = new double[MAX_BATCHES];
    int batches = 0;
    long number = 0;
    long startNs = System.nanoTime();
    long fromNs = startNs;
    do {
      for (int i = 0; i < TRIPS; i++) {
        LONG.setRelease(line, AT, number + 1);
        number += 2;
        awaitAtLeast(number);
      }
      long toNs = System.nanoTime();
      batchNs[batches++] = (double) (toNs - fromNs) / TRIPS;
      fromNs = toNs;
    } while (batches < MAX_BATCHES
        && fromNs - startNs < (batches < MIN_BATCHES ? PATIENCE_NS : SPIN_NS));
    LONG.setRelease(line, AT, END);
    try {
      other.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CaseException("interrupted", e);
    }
    Arrays.sort(batchNs, 0, batches);
    return batchNs[batches / 2];
  }

  private void awaitAtLeast(long number) {
    for (int spins = 1; (long) LONG.getAcquire(line, AT) < number; spins++) {
      makeRoomNowAndThen(spins);
    }
  }

  /** Makes every odd number even. */
  private void answer() {
    int spins = 1;
    for (long seen = 0; seen != END; seen = (long) LONG.getAcquire(line, AT)) {
      if ((seen & 1) == 1) {
        LONG.setRelease(line, AT, seen + 1);
        spins = 0;
      }
      makeRoomNowAndThen(++spins);
    }
  }

  private static void makeRoomNowAndThen(int spins) {
    if (spins % SPINS_PER_PAUSE == 0) {
      LockSupport.parkNanos(1);
    }
  }
}
