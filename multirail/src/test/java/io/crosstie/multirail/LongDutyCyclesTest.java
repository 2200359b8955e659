// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Duty cycles of many milliseconds, as hundreds of busy connections or slow handlers make. */
@Tag("R34")
class LongDutyCyclesTest {
  private static final long MS = 1_000_000;
  private static final long PEER_TIMEOUT_NS = 2_000 * MS;

  /** What the two sides of a duty cycle of the peers take. */
  private static final long STEP_NS = MS / 2;

  private final MemoryNet net = new MemoryNet();
  private final Pair.Side busy = side("busy", 1);
  private final List<Pair.Side> peers = new ArrayList<>();
  private final MemorySegment message = Arena.ofAuto().allocate(100);
  private Pair.Side silent;

  /** How long the busy side takes for a duty cycle, by its work and that of its handlers. */
  private long cycleNs = STEP_NS;

  private long busyAtNs;

  private static Pair.Side side(String name, long number) {
    return new Pair.Side(
        EndpointConfig.defaults(name, -1, number).change().peerTimeoutNs(PEER_TIMEOUT_NS).build(),
        number);
  }

  @BeforeEach
  void ports() throws RailException {
    for (int rail = 0; rail < 2; rail++) {
      busy.endpoint.addPort(net.opener("mem://" + rail + ".busy"), net.nowNs);
    }
  }

  private void connect(int count) throws RailException {
    for (int i = 0; i < count; i++) {
      Pair.Side peer = side("peer" + i, i + 2);
      for (int rail = 0; rail < 2; rail++) {
        peer.endpoint.addPort(net.opener("mem://" + rail + ".peer" + i), net.nowNs);
      }
      peers.add(peer);
      RailAddress seed = new RailAddress("mem://0.peer" + i);
      busy.endpoint.connect("peer" + i, List.of(seed), net.nowNs);
    }
    assertTrue(run(20_000 * MS, () -> busy.connections.stream().allMatch(this::hasBothRails)));
  }

  private boolean hasBothRails(Connection c) {
    return c.rails().stream().filter(r -> r.state() == RailState.ACTIVE).count() == 2;
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += STEP_NS) {
      if (net.nowNs >= busyAtNs) {
        busy.endpoint.poll(net.nowNs);
        busyAtNs = net.nowNs + cycleNs;
        if (until.getAsBoolean()) {
          return true;
        }
      }
      for (Pair.Side peer : peers) {
        if (peer != silent) {
          peer.endpoint.poll(net.nowNs);
          take(peer);
        }
      }
    }
    return false;
  }

  private static void take(Pair.Side peer) {
    for (Connection c : peer.connections) {
      ChannelCore channel = c.existingChannel(7);
      if (channel != null
          && channel.poll((m, offset, length, seq) -> MessageHandler.Action.CONTINUE, 100) > 0) {
        boolean unused = peer.endpoint.signal(c, channel);
      }
    }
  }

  private void offerToAll() {
    for (Connection c : busy.connections) {
      if (c.state() == Connection.State.UP) {
        ChannelCore channel = c.channel(7, Priority.NORMAL);
        if (channel.offer(message, 0, message.byteSize()) > 0) {
          boolean unused = busy.endpoint.offered(c, channel);
        }
      }
    }
  }

  private boolean runBusy(long forNs, BooleanSupplier until) {
    return run(
        forNs,
        () -> {
          offerToAll();
          return until.getAsBoolean();
        });
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 20, 100})
  void aRailThatDiesIsLeftInTime(long cycleMs) throws RailException {
    connect(1);
    cycleNs = cycleMs * MS;
    assertFalse(runBusy(3_000 * MS, () -> false));
    assertEquals(2, Pair.active(busy));
    net.blackHole("mem://0.busy", true);
    net.blackHole("mem://0.peer0", true);
    long cutNs = net.nowNs;
    assertTrue(runBusy(20_000 * MS, () -> busy.saw(RailState.DOWN)));
    long tookNs = net.nowNs - cutNs;
    // suspected, asked, and 50 ms of silence, all of it in steps of a cycle
    assertTrue(tookNs <= 120 * MS + 12 * cycleNs, cycleMs + " ms: told after " + tookNs);
    assertFalse(busy.saw(NodeEvent.PeerLost.class));
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 20, 100})
  void aPeerThatDiesIsLostInTime(long cycleMs) throws RailException {
    connect(1);
    cycleNs = cycleMs * MS;
    assertFalse(runBusy(1_000 * MS, () -> false));
    silent = peers.getFirst();
    long cutNs = net.nowNs;
    assertTrue(runBusy(60_000 * MS, () -> busy.saw(NodeEvent.PeerLost.class)));
    long tookNs = net.nowNs - cutNs;
    assertTrue(tookNs >= PEER_TIMEOUT_NS - cycleNs, "told after " + tookNs);
    assertTrue(tookNs <= PEER_TIMEOUT_NS + 3 * cycleNs + 100 * MS, "told after " + tookNs);
  }

  @Test
  void oneOfThreeHundredBusyConnectionsIsLostInTimeAndNoOther() throws RailException {
    connect(300);
    cycleNs = 12 * MS;
    assertFalse(runBusy(500 * MS, () -> false));
    silent = peers.get(77);
    long cutNs = net.nowNs;
    assertTrue(runBusy(20_000 * MS, () -> busy.saw(NodeEvent.PeerLost.class)));
    assertTrue(net.nowNs - cutNs <= PEER_TIMEOUT_NS + 150 * MS, "after " + (net.nowNs - cutNs));
    assertFalse(runBusy(200 * MS, () -> false));
    List<NodeEvent> lost =
        busy.events.stream().filter(e -> e instanceof NodeEvent.PeerLost).toList();
    assertEquals(1, lost.size());
    assertTrue(lost.getFirst().toString().contains("peer77"), lost::toString);
    assertFalse(busy.saw(RailState.DOWN));
  }

  /** However often: what arrived meanwhile is heard before anybody is judged. */
  @ParameterizedTest
  @ValueSource(longs = {1, 5, 100})
  @Tag("R19")
  void aPauseOfFiveSecondsIsNobodysDeath(long cycleMs) throws RailException {
    connect(3);
    peers.forEach(p -> p.events.clear());
    cycleNs = cycleMs * MS;
    assertFalse(runBusy(1_000 * MS, () -> false));
    for (int pause = 0; pause < 4; pause++) {
      // shorter for the peers than their own patience, which is for them to say
      busyAtNs = net.nowNs + PEER_TIMEOUT_NS - 300 * MS;
      assertFalse(runBusy(3_000 * MS, () -> false));
    }
    assertFalse(busy.saw(RailState.DOWN), () -> busy.events.toString());
    assertFalse(busy.saw(NodeEvent.PeerLost.class));
    assertTrue(busy.endpoint.counters().get(EndpointCounter.SELF_PAUSES) > 0);
  }
}
