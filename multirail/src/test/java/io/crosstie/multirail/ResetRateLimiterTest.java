// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.handshake.ResetRateLimiter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Who is told that a connection is not there, and that nobody keeps others from being told. */
@Tag("R11")
@Tag("R31")
class ResetRateLimiterTest {
  private static final long MS = 1_000_000;
  private static final String HUB = "mem://hub";

  @Test
  void whoAsksAgainAndAgainTakesNothingFromOthers() {
    ResetRateLimiter limiter = new ResetRateLimiter(7);
    int first = 0;
    for (int i = 0; i < 100_000; i++) {
      first += limiter.take(-1, 0) ? 1 : 0;
    }
    assertEquals(ResetRateLimiter.BURST_PER_SENDER, first);
    int others = 0;
    for (int i = 0; i < 500; i++) {
      others += limiter.take(0x7f000001_0000L + i, 0) ? 1 : 0;
    }
    assertTrue(others >= 499, others + " of 500; one may share the limit of the first");
  }

  @Test
  void whatAllTogetherAreToldIsBounded() {
    ResetRateLimiter limiter = new ResetRateLimiter(7);
    int told = 0;
    for (int i = 0; i < 100_000; i++) {
      told += limiter.take(i, 0) ? 1 : 0;
    }
    assertEquals(1000, told);
  }

  private static Pair.Side side(String name, long incarnation) {
    return new Pair.Side(EndpointConfig.defaults(name, -1, incarnation), incarnation);
  }

  /**
   * A hub that knows none of its peers' addresses is killed, and started anew at the same place.
   */
  @Test
  void allPeersOfARestartedNodeAreBackAtOnce() throws RailException {
    MemoryNet net = new MemoryNet();
    Pair.Side hub = side("hub", 1);
    hub.endpoint.addPort(net.opener(HUB), net.nowNs);
    List<Pair.Side> workers = new ArrayList<>();
    for (int i = 0; i < 120; i++) {
      Pair.Side worker = side("worker-" + i, 100 + i);
      worker.endpoint.addPort(net.opener("mem://worker-" + i), net.nowNs);
      worker.endpoint.connect("hub", List.of(new RailAddress(HUB)), net.nowNs);
      workers.add(worker);
    }
    List<Pair.Side> missing = new ArrayList<>(workers);
    for (long end = net.nowNs + 5000 * MS; !missing.isEmpty(); net.nowNs += MS / 5) {
      assertTrue(net.nowNs < end, () -> missing.size() + " did not come up at first");
      poll(net, hub, workers);
      missing.removeIf(ResetRateLimiterTest::isUp);
    }
    MemoryNet.Port port = net.ports.get(HUB);
    port.close();
    Pair.Side again = side("hub", 2);
    again.endpoint.addPort(net.opener(HUB), net.nowNs);
    for (Pair.Side worker : workers) {
      Connection c = worker.connections.getLast();
      ChannelCore channel = c.channel(1, Priority.NORMAL);
      assertEquals(1, channel.offer(MemorySegment.ofArray(new byte[1]), 0, 1));
      boolean unused = worker.endpoint.offered(c, channel);
    }
    missing.addAll(workers);
    for (long end = net.nowNs + 2000 * MS; !missing.isEmpty(); net.nowNs += MS / 5) {
      assertTrue(net.nowNs < end, () -> missing.size() + " are not back");
      poll(net, again, workers);
      missing.removeIf(
          worker -> isUp(worker) && worker.connections.getLast().peerIncarnation() == 2);
    }
  }

  private static void poll(MemoryNet net, Pair.Side hub, List<Pair.Side> workers) {
    int unused = hub.endpoint.poll(net.nowNs);
    for (Pair.Side worker : workers) {
      unused = worker.endpoint.poll(net.nowNs);
    }
  }

  private static boolean isUp(Pair.Side side) {
    return side.connections.getLast().state() == Connection.State.UP;
  }
}
