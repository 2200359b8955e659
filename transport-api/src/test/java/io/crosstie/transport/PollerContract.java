// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What every {@link Poller} does. Waits are either ended by what is tested, or so long that the
 * test's own time-out would strike.
 */
@Timeout(60)
abstract class PollerContract {
  private static final long FOR_EVER_NS = 3_600_000_000_000L;

  private Poller poller;

  /** A poller of the kind under test. */
  abstract Poller open() throws Exception;

  /** Something that can be watched and made readable. */
  abstract Source source() throws Exception;

  /** A thing to watch. */
  interface Source extends AutoCloseable {
    void watchWith(Poller poller);

    void unwatchFrom(Poller poller);

    void makeReadable() throws Exception;

    @Override
    void close() throws Exception;
  }

  @BeforeEach
  void openPoller() throws Exception {
    poller = open();
  }

  @AfterEach
  void closePoller() {
    poller.close();
  }

  @Test
  void wakeUpGivenBeforeTheWaitEndsItAtOnceAndOnlyOnce() {
    poller.wakeup();
    poller.wakeup();
    assertTrue(poller.await(FOR_EVER_NS));
    assertFalse(poller.await(0));
  }

  @Test
  void wakeUpFromAnotherThreadEndsAWait() throws Exception {
    for (int i = 0; i < 200; i++) {
      CountDownLatch go = new CountDownLatch(1);
      Thread waker =
          Thread.ofPlatform()
              .start(
                  () -> {
                    awaitUninterrupted(go);
                    poller.wakeup();
                  });
      go.countDown();
      assertTrue(poller.await(FOR_EVER_NS));
      waker.join();
    }
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void timeEndsAWait() {
    assertFalse(poller.await(1));
    assertFalse(poller.await(1_500_000));
  }

  @Test
  void readinessEndsAWaitAndLastsUntilItIsTaken() throws Exception {
    try (Source source = source()) {
      source.watchWith(poller);
      assertFalse(poller.await(0));
      source.makeReadable();
      assertTrue(poller.await(FOR_EVER_NS));
      assertTrue(poller.await(FOR_EVER_NS));
    }
  }

  @Test
  void whatIsNotWatchedAnyMoreIsSilent() throws Exception {
    try (Source source = source()) {
      source.watchWith(poller);
      source.watchWith(poller); // twice is once
      source.makeReadable();
      assertTrue(poller.await(FOR_EVER_NS));
      source.unwatchFrom(poller);
      source.unwatchFrom(poller); // unknown by now, and ignored
      assertFalse(poller.await(0));
      source.watchWith(poller);
      assertTrue(poller.await(FOR_EVER_NS));
    }
  }

  @Test
  void manyCanBeWatched() throws Exception {
    Source[] sources = new Source[50];
    try {
      for (int i = 0; i < sources.length; i++) {
        sources[i] = source();
        sources[i].watchWith(poller);
      }
      assertFalse(poller.await(0));
      sources[41].makeReadable();
      assertTrue(poller.await(FOR_EVER_NS));
      sources[41].unwatchFrom(poller);
      assertFalse(poller.await(0));
      sources[49].makeReadable();
      assertTrue(poller.await(FOR_EVER_NS));
    } finally {
      for (Source source : sources) {
        source.close();
      }
    }
  }

  @Test
  void aClosedSourceDoesNotKeepThePollerAwake() throws Exception {
    Source source = source();
    source.watchWith(poller);
    source.makeReadable();
    source.close();
    boolean unused = poller.await(0); // may tell that something happened, once
    assertFalse(poller.await(0));
    source.unwatchFrom(poller);
  }

  @Test
  void anInterruptNeitherHangsNorSpinsNorGetsLost() {
    Thread.currentThread().interrupt();
    boolean unused = poller.await(1);
    assertTrue(Thread.currentThread().isInterrupted());
    assertFalse(poller.await(1));
    assertTrue(Thread.interrupted());
  }

  @Test
  void closingTwiceAndWakingAfterwardsIsHarmless() {
    poller.close();
    poller.close();
    poller.wakeup();
  }
}
