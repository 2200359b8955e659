// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An application thread that idles sees progress, however the two threads meet. */
final class AppWaitTest {
  @Test
  void idleReturnsWithoutProgress() {
    var wait = new AppWait(new CpuBudget(2, false), System::nanoTime);
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          for (int i = 0; i < 200; i++) {
            wait.idle(0);
          }
        });
  }

  /** 20 idles with an interrupt pending take as long as without: 50 us, doubled up to 10 ms. */
  @Test
  void anInterruptedThreadDoesNotSpin() {
    var wait = new AppWait(new CpuBudget(2, false), System::nanoTime);
    Thread.currentThread().interrupt();
    try {
      long begin = System.nanoTime();
      for (int i = 0; i < 90; i++) {
        wait.idle(0);
        assertTrue(Thread.currentThread().isInterrupted());
      }
      assertTrue(System.nanoTime() - begin >= 100_000_000L, "the parks were none");
    } finally {
      boolean unused = Thread.interrupted();
    }
  }

  /** Who idles for years parks all the while: a count that wraps would make it spin. */
  @Test
  void idlesAreNotCountedWithoutEnd() {
    var wait = new AppWait(new CpuBudget(2, false), System::nanoTime);
    wait.states.get().idles = Integer.MAX_VALUE;
    wait.idle(0);
    assertTrue(wait.states.get().idles > 0);
  }

  @Test
  void everyStepOfProgressIsSeen() {
    var wait = new AppWait(new CpuBudget(2, false), System::nanoTime);
    int rounds = 500;
    var ping = new AtomicInteger();
    var pong = new AtomicInteger();
    assertTimeoutPreemptively(
        Duration.ofSeconds(60),
        () -> {
          Thread engine =
              Thread.ofPlatform()
                  .start(
                      () -> {
                        for (int i = 1; i <= rounds; i++) {
                          while (ping.get() < i) {
                            Thread.onSpinWait();
                          }
                          pong.set(i);
                          wait.progress();
                        }
                      });
          for (int i = 1; i <= rounds; i++) {
            ping.set(i);
            while (pong.get() < i) {
              wait.idle(0);
            }
            wait.idle(1);
          }
          engine.join();
        });
  }
}
