// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A path scheduler of the application's own, which knows the types of this package only. */
@Timeout(120)
final class OwnSchedulerTest {
  private static final List<String> RAILS =
      List.of("udp://127.0.0.1:0?weight=7", "udp://127.0.0.1:0?weight=2");

  /** Everything by the rail of weight 2, and what it was told. */
  private static final class Lighter implements PathScheduler {
    long sentBytes;
    long seenRails;
    long wrong;

    @Override
    public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long now) {
      seenRails = Math.max(seenRails, rails.count());
      for (int i = 0; i < rails.count(); i++) {
        if (rails.usable(i) && rails.weight(i) == 2) {
          boolean isSane =
              rails.rate(i) > 0
                  && rails.rttNs(i) >= 0
                  && rails.flightBytes(i) >= 0
                  && rails.waitNs(i, now) >= 0;
          wrong += isSane ? 0 : 1;
          return rails.canSendNow(i) ? i : WAIT;
        }
      }
      return WAIT;
    }

    @Override
    public void onSent(int rail, long payloadBytes) {
      sentBytes += payloadBytes;
    }
  }

  @Test
  void choosesTheRail() {
    Lighter lighter = new Lighter();
    try (TwoNodes nodes = new TwoNodes(RAILS, true, config -> config.scheduler(() -> lighter))) {
      nodes.up();
      nodes.until("two rails", () -> active(nodes.aToB()) == 2);
      byte[] message = new byte[100_000];
      long before = lighter.sentBytes;
      assertTrue(nodes.offer(nodes.aToB().channel(1), message) > 0);
      assertEquals(message.length, nodes.receive(nodes.bToA().channel(1)).length);
      assertTrue(lighter.sentBytes - before >= message.length, () -> "told " + lighter.sentBytes);
      assertTrue(lighter.seenRails >= 2, () -> "saw " + lighter.seenRails);
      assertEquals(0, lighter.wrong);
      assertEquals("custom", nodes.a.config().scheduler());
    }
  }

  @Test
  void oneThatFailsIsReplaced() {
    AtomicInteger asked = new AtomicInteger();
    PathScheduler fails =
        (rails, packetBytes, backlogBytes, avoid, nowNs) -> {
          asked.incrementAndGet();
          throw new IllegalStateException("of the test");
        };
    for (Supplier<PathScheduler> supplier : List.<Supplier<PathScheduler>>of(() -> fails, none())) {
      try (TwoNodes nodes = new TwoNodes(RAILS, true, config -> config.scheduler(supplier))) {
        nodes.up();
        assertTrue(nodes.offer(nodes.aToB().channel(1), new byte[1000]) > 0);
        assertEquals(1000, nodes.receive(nodes.bToA().channel(1)).length);
        assertTrue(nodes.a.counters().get(EndpointCounter.INTERNAL_ERRORS) > 0);
      }
    }
    assertTrue(asked.get() > 0);
  }

  @SuppressWarnings("NullAway") // what an application may do
  private static Supplier<PathScheduler> none() {
    return () -> null;
  }

  private static long active(Peer peer) {
    return peer.rails().stream().filter(rail -> rail.state() == RailState.ACTIVE).count();
  }
}
