// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Facility;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One poll takes so much and no more, however much there is; nothing is left behind for that. */
class TurnTest {
  private static final int LENGTH = 20_000;

  /** The last of them exceeds the turn. */
  private static final int IN_A_TURN = ShmRail.TURN_BYTES / LENGTH + 1;

  private static final int PACKETS = IN_A_TURN + 6;

  @TempDir Path base;

  private static void sendAll(ShmRail rail) {
    for (int i = 0; i < PACKETS; i++) {
      End.send(rail, new byte[LENGTH]);
    }
  }

  @Test
  void aPollEndsWithTheTurn() throws Exception {
    try (End a = new End(base, "a", "size=1MiB");
        End b = new End(base, "b", "size=1MiB")) {
      ShmRail rail = End.connect(a, b);
      sendAll(rail);
      assertEquals(IN_A_TURN, b.poll());
      assertEquals(PACKETS - IN_A_TURN, b.poll());
      assertEquals(0, b.poll());
    }
  }

  @Test
  void bytesOfThePeersMemoryCountAlike() throws Exception {
    int length = ShmRail.TURN_BYTES / 2;
    try (End a = new End(base, "a", "copy=cma");
        End b = new End(base, "b", "copy=cma");
        Arena arena = Arena.ofConfined()) {
      ShmRail rail = End.connect(a, b);
      Facility.require(rail.pulls(), "a system that permits process_vm_readv is needed");
      MemorySegment theirs = arena.allocate(length, 64);
      MemorySegment ours = arena.allocate(length, 64);
      b.onPacket =
          (end, memory, offset, packet) ->
              assertTrue(end.accepted.pull(theirs.address(), ours, 0, length));
      for (int i = 0; i < 5; i++) {
        End.send(rail, new byte[1]);
      }
      assertEquals(2, b.poll());
      assertEquals(2, b.poll());
      assertEquals(1, b.poll());
    }
  }

  /** The peer is gone in the middle: what it published before comes all the same. */
  @Test
  void whatADepartedPeerPublishedTakesSeveralTurns() throws Exception {
    try (End a = new End(base, "a", "size=1MiB");
        End b = new End(base, "b", "size=1MiB")) {
      ShmRail rail = End.connect(a, b);
      End.send(rail, new byte[1]);
      End.until("accepted", () -> b.received == 1, b);
      sendAll(rail);
      rail.close();
      b.nowNs += 2 * ShmPort.HOUSEKEEPING_NS; // so that the next poll sees the end of the socket
      assertEquals(IN_A_TURN, b.poll());
      assertFalse(b.closedEvent(b.accepted));
      End.until("closed", () -> b.closedEvent(b.accepted), b);
      assertEquals(1 + PACKETS, b.received);
    }
  }
}
