// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What layers above do once in each duty cycle, in all forms of progress. */
@Timeout(120)
@SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
final class CycleHookTest {
  @TempDir Path folder;

  private static Progress progress(String form) {
    return switch (form) {
      case "thread" -> Progress.thread();
      case "shared" -> Progress.shared();
      default -> Progress.caller();
    };
  }

  private Node start(String form, CycleHook... hooks) {
    NodeConfigBuilder builder =
        NodeConfig.builder().name("n").rail("shm:" + folder).shutdownHook(false);
    List.of(hooks).forEach(builder::cycleHook);
    return Node.start(builder.progress(progress(form)).build());
  }

  /** Does what is asked for, and counts. */
  private static final class Worker implements CycleHook {
    final AtomicLong todo = new AtomicLong();
    final AtomicLong done = new AtomicLong();

    /** Calls that found nothing to do, and did not throw. */
    final AtomicLong calm = new AtomicLong();

    private final boolean throwsAfterwards;

    Worker(boolean throwsAfterwards) {
      this.throwsAfterwards = throwsAfterwards;
    }

    @Override
    public int onCycle(long nowNs) {
      long some = todo.get() - done.get();
      done.addAndGet(some);
      if (some > 0 && throwsAfterwards) {
        throw new IllegalStateException("planted");
      }
      if (some == 0) {
        calm.incrementAndGet();
      }
      return (int) some;
    }

    void ask(Node node, int round) {
      todo.set(round);
      node.wakeUp();
    }
  }

  private static void turnUntil(Node node, java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + 60_000_000_000L;
    int turns = 0;
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "in vain");
      node.wakeUp(); // it has nothing else to do
      if (!node.config().progress().isCaller() || ++turns % 20 == 0) {
        node.idle();
      } else {
        int unused = node.doWork(); // a caller's own idle blocks after its cycle
      }
    }
  }

  private static long cycles(Node node) {
    return node.engineCounters().get(NodeCounter.BUSY_CYCLES)
        + node.engineCounters().get(NodeCounter.IDLE_CYCLES);
  }

  /** As often as there are cycles, one at a time, and each call sees the one before. */
  @ParameterizedTest
  @ValueSource(strings = {"thread", "shared", "caller"})
  void runsOnceInEachCycle(String form) {
    long[] calls = new long[2]; // no fence but the engine's own
    var inside = new AtomicInteger();
    var overlaps = new AtomicInteger();
    Node node =
        start(
            form,
            nowNs -> {
              overlaps.addAndGet(inside.getAndIncrement());
              calls[0]++;
              if (nowNs < calls[1]) {
                overlaps.incrementAndGet();
              }
              calls[1] = nowNs;
              inside.decrementAndGet();
              return 0;
            });
    try {
      turnUntil(node, () -> cycles(node) > 200);
    } finally {
      node.close();
    }
    assertEquals(0, overlaps.get());
    assertEquals(cycles(node) + node.engineCounters().get(NodeCounter.FAILED_CYCLES), calls[0]);
  }

  /**
   * Who waits for what a hook does is woken by it, however long it would have waited, and whatever
   * the hook does afterwards.
   */
  @ParameterizedTest
  @CsvSource({
    "shared, 1, false",
    "shared, 3, false",
    "thread, 3, false",
    "shared, 1, true",
    "shared, 3, true",
    "thread, 3, true"
  })
  void whoWaitsForItIsWoken(String form, int threads, boolean hookThrows)
      throws InterruptedException {
    var worker = new Worker(hookThrows);
    var seen = new AtomicLong();
    int rounds = 200;
    Random random = new Random(threads);
    try (Node node = start(form, worker)) {
      List<Thread> waiting = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        waiting.add(
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      for (int round = 1; round <= rounds; round++) {
                        while (worker.done.get() < round) {
                          node.idle(Duration.ofDays(1));
                        }
                        seen.incrementAndGet();
                      }
                    }));
      }
      for (int round = 1; round <= rounds; round++) {
        long later = System.nanoTime() + random.nextLong(2_000_000);
        while (System.nanoTime() < later) {
          Thread.onSpinWait(); // they spin, yield, or sleep
        }
        worker.ask(node, round);
        long end = System.nanoTime() + 60_000_000_000L;
        while (seen.get() < (long) round * threads) {
          assertTrue(System.nanoTime() < end, "a wake-up was lost");
          Thread.onSpinWait();
        }
        if (hookThrows) { // no more than a few calls that throw in a row are told of
          long calm = worker.calm.get();
          node.wakeUp();
          while (worker.calm.get() == calm) {
            assertTrue(System.nanoTime() < end, "a wake-up was lost");
            Thread.onSpinWait();
          }
        }
      }
      for (Thread thread : waiting) {
        thread.join();
      }
    }
  }

  /** A node that has nothing to do is woken for it. */
  @ParameterizedTest
  @ValueSource(strings = {"thread", "shared"})
  void canBeWokenForIt(String form) {
    var worker = new Worker(false);
    try (Node node = start(form, worker)) {
      for (int i = 1; i <= 200; i++) {
        worker.ask(node, i);
        long end = System.nanoTime() + 60_000_000_000L;
        while (worker.done.get() < i) {
          assertTrue(System.nanoTime() < end, "a wake-up was lost");
          Thread.yield();
        }
      }
    }
  }

  /** What it throws is counted, and ends nothing; nor does a long run. */
  @ParameterizedTest
  @ValueSource(strings = {"thread", "shared", "caller"})
  void errorsAndLongRunsAreCounted(String form) {
    var calls = new AtomicInteger();
    var others = new AtomicInteger();
    try (Node node =
        start(
            form,
            nowNs -> {
              if (calls.incrementAndGet() % 2 == 0) {
                throw new OutOfMemoryError("planted");
              }
              long begin = System.nanoTime();
              while (System.nanoTime() - begin < 1_100_000L) {
                Thread.onSpinWait();
              }
              return 0;
            },
            nowNs -> others.incrementAndGet() > 0 ? 0 : 1)) {
      turnUntil(node, () -> calls.get() >= 20 && others.get() >= 20);
      assertTrue(node.engineCounters().get(NodeCounter.HOOK_ERRORS) >= 9);
      assertTrue(node.engineCounters().get(NodeCounter.HOOK_OVERRUNS) >= 9);
      assertEquals(0, node.engineCounters().get(NodeCounter.FAILED_CYCLES));
    }
  }

  /** It may call the node: nothing waits in it, or drives from inside. */
  @ParameterizedTest
  @ValueSource(strings = {"thread", "shared", "caller"})
  void mayCallTheNode(String form) {
    var self = new AtomicReference<Node>();
    var thrown = new AtomicReference<Throwable>();
    var calls = new AtomicInteger();
    var deep = new AtomicInteger();
    try (Node node =
        start(
            form,
            nowNs -> {
              Node there = self.get();
              if (there != null) {
                int level = deep.incrementAndGet();
                try {
                  there.idle();
                  int unused = there.poll((c, m, o, l, s) -> Channel.CONTINUE, 1);
                  assertEquals(1, level, "a duty cycle in the duty cycle");
                  assertThrows(IllegalStateException.class, there::close);
                } catch (Throwable t) {
                  thrown.set(t);
                } finally {
                  deep.decrementAndGet();
                }
                calls.incrementAndGet();
              }
              return 0;
            })) {
      self.set(node);
      turnUntil(node, () -> calls.get() >= 50);
      assertEquals(null, thrown.get());
    }
  }

  /** Whose thread it is. */
  @Test
  void runsOnTheThreadThatDrives() {
    var ran = new AtomicReference<Thread>();
    CycleHook note =
        nowNs -> {
          ran.set(Thread.currentThread());
          return 0;
        };
    try (Node node = start("caller", note)) {
      int unused = node.doWork();
      assertSame(Thread.currentThread(), ran.get());
    }
    ran.set(null);
    try (Node node = start("thread", note)) {
      node.wakeUp();
      while (ran.get() == null) {
        Thread.yield();
      }
      assertNotSame(Thread.currentThread(), ran.get());
    }
  }

  /** Two threads remove one rail: one of them is told that there is none any more. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aRailIsRemovedOnce(boolean byIndex) throws Exception {
    var holds = new AtomicReference<java.util.concurrent.CountDownLatch>();
    var held = new java.util.concurrent.CountDownLatch(1);
    CycleHook hook =
        nowNs -> {
          var gate = holds.get();
          if (gate != null) {
            held.countDown();
            try {
              gate.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          }
          return 0;
        };
    var gate = new java.util.concurrent.CountDownLatch(1);
    try (Node node = start("thread", hook)) {
      String uri = "udp://127.0.0.1:0";
      int index = node.addRail(uri);
      holds.set(gate);
      node.wakeUp();
      held.await(); // the engine's thread is busy
      var refusals = new java.util.concurrent.ConcurrentLinkedQueue<String>();
      List<Thread> threads = new java.util.ArrayList<>();
      for (int i = 0; i < 2; i++) {
        threads.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try {
                        if (byIndex) {
                          node.removeRail(index);
                        } else {
                          node.removeRail(uri);
                        }
                      } catch (CrosstieException e) {
                        refusals.add(String.valueOf(e.getMessage()));
                      }
                    }));
      }
      for (Thread thread : threads) {
        while (thread.getState() != Thread.State.TIMED_WAITING) {
          assertTrue(thread.isAlive());
          Thread.onSpinWait();
        }
      }
      holds.set(null);
      gate.countDown();
      for (Thread thread : threads) {
        thread.join();
      }
      assertEquals(1, refusals.size());
      assertTrue(refusals.element().contains("no rail"), refusals::element);
      assertEquals(1, node.ports().size());
    } finally {
      gate.countDown();
    }
  }
}
