// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** After a wait in vain a port leaves its sockets alone, and nothing else. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RestingTest {
  @TempDir Path base;

  /** As an engine whose wait was ended by its time. */
  private static void rest(End end) {
    assertTrue(end.port.prepareToBlock());
    end.port.afterTimeout();
  }

  private static void pollAfter(End end, long ns) {
    end.nowNs += ns;
    end.poll();
  }

  /** Whether the peer's offer was answered, so that packets can leave. */
  private static boolean isAccepted(End from, ShmRail rail) {
    pollAfter(from, ShmPort.HOUSEKEEPING_NS);
    return End.claimable(rail);
  }

  @Test
  void socketsAreLookedAtInTheNextTurnButOne() throws Exception {
    try (End a = new End(base, "a", "");
        End b = new End(base, "b", "")) {
      b.poll();
      rest(b);
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      pollAfter(b, ShmPort.HOUSEKEEPING_NS);
      assertFalse(
          isAccepted(a, rail), "it looked, though the wait had just said that there is no need");
      pollAfter(b, ShmPort.HOUSEKEEPING_NS);
      assertTrue(isAccepted(a, rail));
    }
  }

  @Test
  void whatGoesByTheClockIsDoneAllTheSame() throws Exception {
    try (End a = new End(base, "a", "");
        End b = new End(base, "b", "")) {
      b.poll();
      rest(b);
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      pollAfter(b, ShmPort.SLOW_NS);
      assertTrue(isAccepted(a, rail));
    }
  }

  /** Who waits for an answer, or has answered, has more to do than to wait for sockets. */
  @Test
  void anOfferUnderWayIsSeenTo() throws Exception {
    try (End a = new End(base, "a", "");
        End b = new End(base, "b", "")) {
      a.poll();
      ShmRail rail = (ShmRail) a.port.connect(b.port.localAddress());
      a.poll();
      End.until("answered", () -> b.received > 0 || answered(a, b, rail), b);
      assertTrue(End.claimable(rail));
    }
  }

  private static boolean answered(End a, End b, ShmRail rail) {
    rest(a);
    rest(b);
    pollAfter(a, ShmPort.HOUSEKEEPING_NS);
    return End.claimable(rail);
  }

  @Test
  void ringsAreLookedAtInEveryTurn() throws Exception {
    try (End a = new End(base, "a", "");
        End b = new End(base, "b", "")) {
      ShmRail rail = End.connect(a, b);
      for (int i = 0; i < 100; i++) {
        rest(b);
        End.send(rail, new byte[8]);
        assertEquals(1, b.poll());
      }
    }
  }
}
