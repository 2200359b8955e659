// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.handshake.InitQueue;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Thousands of configured peers that do not answer cost the others next to nothing. */
class ManyDeadPeersTest {
  private static final int DEAD = 3000;
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private final Pair.Side left = new Pair.Side(EndpointConfig.defaults("left", -1, 1), 1);
  private final Pair.Side right = new Pair.Side(EndpointConfig.defaults("right", -1, 2), 2);
  private final List<Connection> dead = new ArrayList<>();
  private long mostAtOnce;

  @BeforeEach
  void ports() throws RailException {
    left.endpoint.addPort(net.opener("mem://left"), net.nowNs);
    right.endpoint.addPort(net.opener("mem://right"), net.nowNs);
    for (int i = 0; i < DEAD; i++) {
      dead.add(
          left.endpoint.connect(
              "dead" + i, List.of(new RailAddress("mem://nobody" + i)), net.nowNs));
    }
  }

  private void run(long forNs, @Nullable Connection until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += MS / 5) {
      long before = net.sent;
      left.endpoint.poll(net.nowNs);
      mostAtOnce = Math.max(mostAtOnce, net.sent - before);
      right.endpoint.poll(net.nowNs);
      if (until != null && until.state() == Connection.State.UP) {
        return;
      }
    }
  }

  private Connection connect(long withinNs) {
    Connection c =
        left.endpoint.connect("right", List.of(new RailAddress("mem://right")), net.nowNs);
    run(withinNs, c);
    assertEquals(Connection.State.UP, c.state());
    return c;
  }

  @Test
  void fewOfThemAreAskedInOneDutyCycle() {
    run(12_000 * MS, null); // until each is asked less often
    int most = InitQueue.MAX_INITS_PER_CYCLE;
    assertTrue(mostAtOnce <= most, () -> mostAtOnce + " packets in one duty cycle");
    long before = net.sent;
    run(10_000 * MS, null);
    long perSecond = (net.sent - before) / 10;
    assertTrue(
        perSecond <= InitQueue.INITS_PER_SECOND + 1, () -> perSecond + " packets in a second");
    assertTrue(perSecond > InitQueue.INITS_PER_SECOND / 2, () -> perSecond + " in a second");
  }

  @Test
  void eachIsAskedAgainAndAgainAndFoundWhenItComes() throws RailException {
    run(20_000 * MS, null);
    Pair.Side late = new Pair.Side(EndpointConfig.defaults("dead1234", -1, 3), 3);
    late.endpoint.addPort(net.opener("mem://nobody1234"), net.nowNs);
    for (long end = net.nowNs + 4000 * MS;
        net.nowNs < end && dead.get(1234).state() != Connection.State.UP;
        net.nowNs += MS / 5) {
      left.endpoint.poll(net.nowNs);
      late.endpoint.poll(net.nowNs);
    }
    assertEquals(Connection.State.UP, dead.get(1234).state());
  }

  @Test
  void whoIsConnectedLaterDoesNotWaitBehindThem() {
    run(20_000 * MS, null);
    Connection unused = connect(20 * MS);
  }

  @Test
  void oneThatIsClosedBeforeItIsUpIsForgottenAtOnce() {
    run(1000 * MS, null);
    for (Connection c : dead) {
      c.close(0, net.nowNs);
    }
    for (int i = 0; i < DEAD; i++) {
      left.endpoint.poll(net.nowNs);
    }
    assertEquals(List.of(), left.endpoint.connections());
    long before = net.sent;
    run(5000 * MS, null);
    assertEquals(before, net.sent);
    Connection unused = connect(100 * MS);
  }
}
