// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What peers sent before their end, and nobody has polled: kept, until the living need the room.
 */
@Tag("R31")
class FormerChannelsTest {
  private static final long MS = 1_000_000;
  private static final long MEMORY = 4L << 20;
  private static final int CHANNELS = 8;
  private static final int LENGTH = 4000;

  private final MemoryNet net = new MemoryNet();
  private final BufferPool pool = new BufferPool(8L << 20);
  private final Pair.Side hub =
      new Pair.Side(
          EndpointConfig.defaults("hub", -1, 1)
              .change()
              .memoryBytes(MEMORY)
              .maxChannels(CHANNELS)
              .maxConnections(88)
              .build(),
          1,
          pool);
  private final List<Pair.Side> peers = new ArrayList<>();

  @BeforeEach
  void scene() throws RailException {
    hub.endpoint.addPort(net.opener("mem://hub"), net.nowNs);
  }

  private Pair.Side peer(String name) throws RailException {
    long seed = 2L + peers.size();
    Pair.Side side = new Pair.Side(EndpointConfig.defaults(name, -1, seed), seed);
    side.endpoint.addPort(net.opener("mem://" + name), net.nowNs);
    side.endpoint.connect("hub", List.of(new RailAddress("mem://hub")), net.nowNs);
    peers.add(side);
    assertTrue(run(2000, () -> Pair.active(side) == 1), name);
    return side;
  }

  private boolean run(int ms, BooleanSupplier until) {
    for (long end = net.nowNs + ms * MS; net.nowNs < end; net.nowNs += 100_000) {
      for (Pair.Side side : peers) {
        side.endpoint.poll(net.nowNs);
      }
      hub.endpoint.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void offer(Pair.Side from, int channel) {
    ChannelCore core = from.connections.getLast().channel(channel, Priority.NORMAL);
    if (core.offer(Arena.ofAuto().allocate(LENGTH), 0, LENGTH) > 0) {
      boolean unused = from.endpoint.offered(from.connections.getLast(), core);
    }
  }

  /** Sends as much as is taken, and ends. */
  private void fill(String name) throws RailException {
    Pair.Side filler = peer(name);
    for (int round = 0; round < 300; round++) {
      for (int channel = 0; channel < CHANNELS; channel++) {
        offer(filler, channel);
      }
      run(2, () -> false);
    }
    Connection c = filler.connections.getLast();
    c.close(0, net.nowNs);
    assertTrue(run(2000, () -> c.state().isOver() && last(name).state().isOver()));
    peers.remove(filler);
  }

  private Connection last(String peer) {
    return hub.connections.stream()
        .filter(c -> c.peerName().equals(peer))
        .reduce((first, second) -> second)
        .orElseThrow();
  }

  private long unpolled(String peer) {
    return last(peer).channels().stream().mapToLong(ChannelCore::unpolled).sum();
  }

  private int poll(Connection c, MessageHandler handler) {
    int count = 0;
    for (ChannelCore core : c.channels()) {
      int n = core.poll(handler, 1000);
      if (n > 0) {
        boolean unused = hub.endpoint.signal(c, core);
      }
      count += n;
    }
    return count;
  }

  private long dropped(String peer) {
    long count = 0;
    for (NodeEvent event : hub.events) {
      if (event instanceof NodeEvent.MessagesDropped d && d.peer().equals(peer)) {
        count += d.last() - d.first() + 1;
      }
    }
    return count;
  }

  /** Each connection that is over takes some memory, however little is left on it. */
  @Test
  void onlySoManyFormerLivesAreKept() throws RailException {
    int most = hub.endpoint.config.maxConnections() / 8;
    for (int life = 0; life < most + 10; life++) {
      Pair.Side peer = peer("filler" + life);
      offer(peer, 1);
      offer(peer, 2);
      String name = "filler" + life;
      assertTrue(run(2000, () -> unpolled(name) == 2), name);
      peer.endpoint.close();
      peers.removeLast();
      last(name).close(0, net.nowNs);
      assertTrue(run(2000, () -> last(name).state().isOver()), name);
      run(600, () -> false);
    }
    for (int life = 0; life < most + 10; life++) {
      String name = "filler" + life;
      assertEquals(2, unpolled(name) + dropped(name), name + ": to be polled, or named");
    }
    assertEquals(2, dropped("filler0"), "the oldest first");
    assertEquals(2, unpolled("filler" + (most + 9)));
    assertEquals(most, hub.connections.stream().filter(c -> unpolled(c.peerName()) > 0).count());
  }

  @Test
  void smallMessagesOfFormerLivesGiveWayToTheLiving() throws RailException {
    int lives = 0;
    for (long before = -1; before < hub.endpoint.memory().received().usedBytes(); lives++) {
      before = hub.endpoint.memory().received().usedBytes();
      fill("filler" + lives);
    }
    assertTrue(lives > 2, "several fill it");
    run(8000, () -> false);
    assertEquals(0, hub.endpoint.counters().get(EndpointCounter.MESSAGES_DROPPED), "nobody waits");
    long[] left = new long[lives];
    for (int i = 0; i < lives; i++) {
      left[i] = unpolled("filler" + i);
    }
    assertTrue(left[0] > 0);
    int last = lives - 1; // this one is polled now and then, and so stays
    while (unpolled("filler" + last) == 0) {
      last--;
    }
    String polled = "filler" + last;
    Pair.Side honest = peer("honest");
    int[] got = new int[1];
    int[] byAndBy = new int[1];
    long[] nextNs = {net.nowNs};
    BooleanSupplier arrives =
        () -> {
          if (got[0] >= 100) {
            return true;
          }
          for (int channel = 0; channel < 4; channel++) {
            offer(honest, channel);
          }
          got[0] += poll(last("honest"), (m, o, l, s) -> MessageHandler.Action.CONTINUE);
          if (net.nowNs >= nextNs[0] && unpolled(polled) > 1) {
            nextNs[0] = net.nowNs + 3000 * MS;
            ChannelCore some =
                last(polled).channels().stream()
                    .filter(core -> core.unpolled() > 0)
                    .findFirst()
                    .orElseThrow();
            byAndBy[0] += some.poll((m, o, l, s) -> MessageHandler.Action.BREAK, 1);
            boolean unused = hub.endpoint.signal(last(polled), some);
          }
          return false;
        };
    assertTrue(run(20_000, arrives), () -> "only " + got[0]);
    assertTrue(dropped("filler0") > 0, "the oldest first");
    assertEquals(0, dropped(polled));
    for (int i = 0; i < lives; i++) {
      String name = "filler" + i;
      int[] rest = {i == last ? byAndBy[0] : 0};
      while (unpolled(name) > 0) {
        rest[0] += poll(last(name), (m, o, l, s) -> MessageHandler.Action.CONTINUE);
      }
      assertEquals(left[i], rest[0] + dropped(name), name + ": delivered once, or named");
    }
    peers.getFirst().connections.getLast().close(0, net.nowNs);
    run(5000, () -> hub.endpoint.connections().isEmpty());
    while (unpolled("honest") > 0) {
      int unused = poll(last("honest"), (m, o, l, s) -> MessageHandler.Action.CONTINUE);
    }
    run(10, () -> false);
    assertEquals(0, hub.endpoint.memory().received().usedBytes());
  }
}
