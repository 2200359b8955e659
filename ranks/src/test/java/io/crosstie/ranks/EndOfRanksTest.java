// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that leave, and what others are told. */
@Timeout(180)
final class EndOfRanksTest {
  private static final String SHM = "shm:";

  private static int endedRank(Request request) {
    return assertThrows(RankEndedException.class, request::await).rank();
  }

  @Test
  void whatNeedsARankThatHasLeftEndsWithAnErrorThatNamesIt() throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            if (world.rank() == 2) {
              int[] got = new int[1];
              all.recv(got, 0, 1);
              all.send(new int[] {5}, 0, 2);
              world.close();
              return;
            }
            if (world.rank() == 0) {
              Request receive = all.irecv(new int[1], 2, 77);
              Request any = all.irecv(new int[1], Communicator.ANY_SOURCE, 78);
              Request send = all.issend(Data.of(new int[1]), 2, 79);
              all.send(new int[1], 2, 1);
              assertEquals(2, endedRank(receive));
              assertEquals(2, endedRank(any));
              assertEquals(2, endedRank(send));
              int[] got = new int[1];
              all.recv(got, 2, 2); // what it had sent before is there
              assertArrayEquals(new int[] {5}, got);
              assertEquals(2, endedRank(all.isend(new int[1], 2, 1)));
              assertEquals(2, endedRank(all.irecv(new int[1], 2, 3)));
              assertThrows(RankEndedException.class, () -> all.probe(2, 3));
              assertEquals(List.of(2), world.endedRanks());
              // who is still there can be received from, also from any source
              all.send(new int[1], 1, 4);
              assertEquals(1, all.recv(got, Communicator.ANY_SOURCE, 5).source());
            } else {
              int[] got = new int[1];
              all.recv(got, 0, 4);
              all.send(got, 0, 5);
            }
          });
    }
  }

  @Test
  void aRankThatIsThereAlreadyOrHasAnotherKeyIsNotLetIn() {
    String introducer = "127.0.0.1:" + Worlds.freePort();
    String key = "twice-" + ProcessHandle.current().pid();
    try (World zero = World.join(new WorldConfig().job(0, 3, key, introducer).rail(SHM));
        World one = World.join(new WorldConfig().job(1, 3, key, introducer).rail(SHM))) {
      assertEquals(0, zero.rank());
      String twice =
          assertThrows(
                  RanksException.class,
                  () ->
                      World.join(
                          new WorldConfig().job(1, 3, key, introducer).rail("udp://127.0.0.1:0")))
              .getMessage();
      assertTrue(twice.contains("rank 1 is there already"), twice);
      assertEquals(1, one.rank());
      String other =
          assertThrows(
                  RanksException.class,
                  () -> World.join(new WorldConfig().job(2, 3, "another", introducer).rail(SHM)))
              .getMessage();
      assertTrue(other.contains("key"), other);
      String size =
          assertThrows(
                  RanksException.class,
                  () -> World.join(new WorldConfig().job(2, 4, key, introducer).rail(SHM)))
              .getMessage();
      assertTrue(size.contains("3 ranks, not 4"), size);
    }
  }
}
