// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.transport.Counters;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A log handler that blocks does not block an engine (R37). */
@Tag("R37")
@Isolated // no other line comes in between
class EngineLogTest {
  private static final class Slow extends Handler {
    final CountDownLatch goesOn = new CountDownLatch(1);
    final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
    volatile Thread by = Thread.currentThread();

    @Override
    public void publish(LogRecord line) {
      by = Thread.currentThread();
      try {
        goesOn.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      lines.add(line.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @Test
  void aHandlerThatBlocksIsWaitedForElsewhere() throws InterruptedException {
    Logger logger = Logger.getLogger("io.crosstie");
    Slow slow = new Slow();
    logger.addHandler(slow);
    logger.setUseParentHandlers(false);
    try {
      EventQueue events =
          new EventQueue(
              new Counters<>(NodeCounter.class),
              "n",
              List.of(
                  (node, event) -> {
                    throw new IllegalStateException("an observer's fault");
                  }));
      events.add(new NodeEvent.SelfPaused("", 1)); // returns though the handler does not
      for (int i = 0; i < 2 * EngineLog.MAX_WAITING; i++) {
        EngineLog.log(System.Logger.Level.WARNING, "line " + i, null);
      }
      slow.goesOn.countDown();
      String first = slow.lines.poll(60, TimeUnit.SECONDS);
      assertNotNull(first);
      assertTrue(first.contains("goes on without the event tap"), first);
      String second = slow.lines.poll(60, TimeUnit.SECONDS);
      assertNotNull(second);
      String both = first + second; // the count stands in whichever line came up last
      assertTrue(both.contains("were dropped"), both);
      assertNotEquals(Thread.currentThread(), slow.by);
      assertEquals(1, events.size());
    } finally {
      logger.removeHandler(slow);
      logger.setUseParentHandlers(true);
    }
  }

  /**
   * A hook that is long now and then, as on a busy machine, is counted; one that often is, told.
   */
  @Test
  void hooksThatAreOftenLongAreTold() throws InterruptedException {
    Logger logger = Logger.getLogger("io.crosstie");
    Slow lines = new Slow();
    lines.goesOn.countDown();
    logger.addHandler(lines);
    logger.setUseParentHandlers(false);
    try {
      awaitRoom(lines);
      long[] nowNs = {0};
      int[] calls = {0};
      int[] longOnes = {CycleHooks.OFTEN - 1};
      var counters = new Counters<>(NodeCounter.class);
      CycleHook hook =
          now -> {
            nowNs[0] += calls[0]++ % CycleHooks.WINDOW < longOnes[0] ? 1_000_001 : 1_000_000;
            return 0;
          };
      CycleHooks hooks = new CycleHooks("n", List.of(hook), () -> nowNs[0], counters);
      for (int i = 0; i < CycleHooks.WINDOW; i++) {
        assertEquals(0, hooks.run(0));
      }
      assertEquals(CycleHooks.OFTEN - 1, counters.get(NodeCounter.HOOK_OVERRUNS));
      EngineLog.log(System.Logger.Level.WARNING, "between", null);
      longOnes[0]++;
      for (int i = 0; i < CycleHooks.WINDOW; i++) {
        assertEquals(0, hooks.run(0));
      }
      String line = "begin";
      while (line.startsWith("begin")) {
        line = lines.lines.poll(60, TimeUnit.SECONDS);
        assertNotNull(line);
      }
      assertTrue(line.startsWith("between"), line);
      String told = lines.lines.poll(60, TimeUnit.SECONDS);
      assertNotNull(told);
      assertTrue(told.contains("16 of 64 calls"), told);
    } finally {
      logger.removeHandler(lines);
      logger.setUseParentHandlers(true);
    }
  }

  /** What another test has left is out, so that no line is dropped. */
  private static void awaitRoom(Slow lines) throws InterruptedException {
    long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    String line = null;
    while (line == null || !line.startsWith("begin")) {
      assertTrue(System.nanoTime() < endNs, "no room");
      EngineLog.log(System.Logger.Level.WARNING, "begin", null);
      line = lines.lines.poll(100, TimeUnit.MILLISECONDS);
    }
  }
}
