// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Waiting for what is no news of the node. */
@Timeout(120)
@SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
final class AnnouncementTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Who sleeps until there is news, however long, is woken by an announcement. */
  @Test
  void whoWaitsForSomethingElseIsWokenByAnAnnouncement() throws InterruptedException {
    try (Worlds worlds = new Worlds(1, "shm:")) {
      World world = worlds.get(0);
      for (int round = 0; round < 10; round++) {
        var holds = new AtomicBoolean();
        Thread waiting =
            Thread.ofPlatform()
                .daemon()
                .start(
                    () -> {
                      while (!holds.get()) {
                        world.node().idle(Duration.ofDays(1));
                      }
                    });
        awaitAsleep(waiting);
        holds.set(true);
        world.announce();
        assertTrue(waiting.join(PATIENCE), "it sleeps on");
      }
    }
  }

  /** It leads for a while, and leaves that to the node's thread once all is quiet. */
  private static void awaitAsleep(Thread thread) {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (LockSupport.getBlocker(thread) == null) {
      assertTrue(System.nanoTime() - endNs < 0, "it does not sleep");
      Thread.yield();
    }
  }
}
