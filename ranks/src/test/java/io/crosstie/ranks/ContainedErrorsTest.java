// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.NodeCounter;
import io.crosstie.ranks.schedule.Schedule;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What throws while a rank makes progress costs what it is about, and nothing else. */
@Timeout(180)
final class ContainedErrorsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** A number that no check lets through: whatever is begun with it throws. */
  private static final int NOBODY = 99;

  private static long errors(World world) {
    return world.node().engineCounters().get(NodeCounter.HOOK_ERRORS);
  }

  private static void awaitErrors(World world, long count) {
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    while (errors(world) < count) {
      assertTrue(System.nanoTime() - endNs < 0, () -> errors(world) + " errors");
      world.idle();
    }
    assertEquals(count, errors(world));
  }

  @Test
  void whoWaitsForWhatThrowsIsTold() throws InterruptedException {
    try (Worlds worlds = new Worlds(1, "shm:")) {
      World world = worlds.get(0);
      Communicator all = world.communicator();
      Data data = Data.of(new int[1]);
      SendRequest send =
          new SendRequest(world, all.context(), NOBODY, 1, SendRequest.Mode.STANDARD, data);
      send.begin();
      ReceiveRequest receive = new ReceiveRequest(all, NOBODY, 1, data);
      receive.begin();
      CollectiveRequest together =
          new CollectiveRequest(world, new Schedule(), all.context() + 1, 1, new int[] {0, NOBODY});
      together.begin();
      for (Request request : List.of(send, receive, together)) {
        RanksException told =
            assertThrows(RanksException.class, () -> request.await(PATIENCE), "it still waits");
        assertTrue(told.getMessage().contains("unexpected: "), told::getMessage);
      }
      world.attachBuffer(1000);
      Request unused = new BufferedRequest(world, all.context(), NOBODY, 1, data);
      RanksException told = assertThrows(RanksException.class, world::detachBuffer);
      assertTrue(told.getMessage().contains("unexpected: "), told::getMessage);
      awaitErrors(world, 4);
      worlds.run(
          each -> {
            int[] got = new int[1];
            Request sent = each.communicator().isend(new int[] {42}, 0, 1);
            each.communicator().recv(got, 0, 1);
            sent.await();
            assertEquals(42, got[0]);
          });
      assertEquals(4, errors(world));
    }
  }

  /** All of it is of one cycle: what the first one asks for comes before anything is counted. */
  @Test
  void anActionThatThrowsKeepsNoOther() throws Exception {
    try (Worlds worlds = new Worlds(1, "shm:")) {
      World world = worlds.get(0);
      for (int round = 1; round <= 4; round++) {
        int many = 5 * round;
        long before = errors(world);
        var last = new CompletableFuture<Long>();
        world.ask(
            () -> {
              for (int i = 0; i < 5; i++) {
                world.ask(
                    () -> {
                      throw new AssertionError("planted");
                    });
              }
              world.ask(() -> last.complete(errors(world)));
            });
        assertEquals(before, last.get(PATIENCE.toSeconds(), TimeUnit.SECONDS));
        awaitErrors(world, many);
      }
    }
  }
}
