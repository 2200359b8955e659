// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.GrantFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever wants memory of the pool gets a turn, whatever his neighbours do (R32). */
@Tag("R32")
class GrantTurnsTest {
  private static final long MS = 1_000_000;
  private static final long POOL = 8L << 20;
  private static final int LARGE = 1_000_000;
  private static final int CHANNEL = 1;

  private final MemoryNet net = new MemoryNet();
  private final BufferPool pool = new BufferPool(POOL);
  private final Pair.Side hub = new Pair.Side(EndpointConfig.defaults("hub", -1, 1), 1, pool);
  private final List<Pair.Side> peers = new ArrayList<>();
  private final List<String> delivered = new ArrayList<>();
  private Rogue rogue;
  private long pingedNs;
  private String unpolled = "";

  @BeforeEach
  void scene() throws RailException {
    hub.endpoint.addPort(net.opener("mem://hub"), net.nowNs);
    rogue = new Rogue(net, "rogue");
    rogue.towards("mem://hub");
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
      rogue.poll(net.nowNs);
      hub.endpoint.poll(net.nowNs);
      consume();
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void consume() {
    for (Connection c : hub.connections) {
      ChannelCore core = c.existingChannel(CHANNEL);
      if (core == null || c.peerName().equals(unpolled)) {
        continue;
      }
      int n = core.poll((m, o, l, s) -> take(c, m, o, l, s), 10);
      if (n > 0) {
        boolean unused = hub.endpoint.signal(c, core);
      }
    }
  }

  private MessageHandler.Action take(Connection c, MemorySegment m, long o, long l, long seq) {
    for (long i = 0; i < l; i += 997) {
      assertEquals((byte) (seq + i), m.get(ValueLayout.JAVA_BYTE, o + i));
    }
    delivered.add(c.peerName() + " " + seq);
    return MessageHandler.Action.CONTINUE;
  }

  private static ChannelCore channel(Pair.Side from, int number) {
    return from.connections.getLast().channel(number, Priority.NORMAL);
  }

  private static long offer(Pair.Side from, int number, int length) {
    ChannelCore core = channel(from, number);
    MemorySegment m = Arena.ofAuto().allocate(length);
    long seq = core.offeredSequence() + 1;
    for (long i = 0; i < length; i += 997) {
      m.set(ValueLayout.JAVA_BYTE, i, (byte) (seq + i));
    }
    long result = core.offer(m, 0, length);
    boolean unused = from.endpoint.offered(from.connections.getLast(), core);
    return result;
  }

  private void rogueComes() {
    rogue.init();
    assertTrue(run(100, () -> rogue.retries > 0));
    rogue.hello();
    assertTrue(run(100, () -> rogue.remoteId != 0));
    rogueSays(PingFrame::encode);
  }

  private interface Frame {
    int encode(byte[] m, int at);
  }

  private void rogueSays(Frame frame) {
    byte[] packet = new byte[128];
    int at = rogue.begin(packet);
    at += frame.encode(packet, at);
    rogue.sealAndSend(packet, at);
  }

  private void rogueAnnounces(long seq, long length, int round) {
    rogueSays((m, at) -> RtsFrame.encode(m, at, CHANNEL, seq, length, 0, round));
  }

  /** Announcements that overtake one another are granted in the order of the channel. */
  @Test
  void anAnnouncementWaitsForTheOneBeforeItThatIsStillOnItsWay() throws RailException {
    Pair.Side honest = peer("honest");
    rogueComes();
    int length = 100_000;
    rogueSays((m, at) -> RtsFrame.encode(m, at, CHANNEL, 5, length, 3, 0));
    assertFalse(run(100, () -> rogueHeard(Frames.CTS) || pool.usedBytes() > 0));
    assertTrue(offer(honest, CHANNEL, LARGE) > 0);
    assertTrue(run(100, () -> delivered.contains("honest 1")), "it holds up nobody");
    rogueAnnounces(2, length, 0);
    assertTrue(run(100, () -> rogueHeard(Frames.CTS)));
    assertEquals(2 * BufferPool.chargeBytes(length), pool.usedBytes(), "both have their buffers");
  }

  private void rogueSends(long seq, int messageLength, int from, int length) {
    byte[] packet = new byte[1472];
    int at = rogue.begin(packet);
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (seq + from + i);
    }
    int sum = Checksum.of(ChecksumKind.CRC32C).compute(bytes, 0, length);
    int end =
        at + FragmentFrame.encode(packet, at, 0, CHANNEL, seq, length, sum, from, messageLength);
    PacketHeader.seal(packet, 0, end, Checksum.of(ChecksumKind.CRC32C));
    System.arraycopy(bytes, 0, packet, end, length);
    rogue.send(packet, end + length);
  }

  private boolean rogueHeard(int type) {
    return rogue.received.stream().anyMatch(m -> Rogue.holds(m, type));
  }

  private int grantsOfRound(int round) {
    int n = 0;
    for (byte[] m : rogue.received) {
      if (PacketHeader.kind(m, 0) == PacketHeader.DATA) {
        int end = PacketHeader.headerLength(m, 0);
        for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(m, f)) {
          n += Frames.type(m, f) == Frames.CTS && GrantFrame.round(m, f) == round ? 1 : 0;
        }
      }
    }
    return n;
  }

  /** It stays alive, and acknowledges everything. */
  private void ping() {
    if (net.nowNs - pingedNs >= 100 * MS) {
      pingedNs = net.nowNs;
      rogue.acknowledge();
      rogueSays(PingFrame::encode);
    }
  }

  @Test
  void aGrantThatIsNeverUsedIsRevokedWhileOthersWait() throws RailException {
    Pair.Side honest = peer("honest");
    rogueComes();
    rogueAnnounces(1, POOL, 0);
    assertTrue(run(100, () -> rogueHeard(Frames.CTS)));
    assertEquals(POOL, pool.usedBytes());
    assertFalse(
        run(
            3000,
            () -> {
              ping();
              return rogueHeard(Frames.REVOKE);
            }),
        "nobody waits: it has all the time");
    assertTrue(offer(honest, CHANNEL, LARGE) > 0);
    assertTrue(
        run(
            1500,
            () -> {
              ping();
              return delivered.contains("honest 1");
            }));
    assertTrue(run(10, () -> rogueHeard(Frames.REVOKE)));
    int before = grantsOfRound(0);
    rogueAnnounces(1, POOL, 0); // it does not care
    assertFalse(run(200, () -> grantsOfRound(0) > before || pool.usedBytes() >= POOL));
    rogueAnnounces(1, POOL, 9); // of a round that never was
    assertFalse(run(200, () -> pool.usedBytes() >= POOL));
    for (int i = 2; i <= 10; i++) { // again and again: everybody else goes on
      rogueAnnounces(1, POOL, i - 1);
      run(5, () -> false);
      assertTrue(offer(honest, CHANNEL, LARGE) > 0);
      String next = "honest " + i;
      assertTrue(
          run(
              3000,
              () -> {
                ping();
                return delivered.contains(next);
              }),
          next);
    }
  }

  /** Half of it came, then the rest after it was revoked, then all of it under the next grant. */
  @Test
  void aRevokedMessageIsDeliveredOnceAndWholeWhateverComesLate() throws RailException {
    Pair.Side honest = peer("honest");
    rogueComes();
    int length = 100_000;
    rogueAnnounces(1, length, 0);
    assertTrue(run(100, () -> rogueHeard(Frames.CTS)));
    for (int from = 0; from < 50_000; from += 1000) {
      rogueSends(1, length, from, 1000);
      run(1, () -> false);
    }
    for (int i = 0; i < 3; i++) { // they wait: the pool holds no two of these
      assertTrue(offer(honest, 2 + i, (int) POOL) > 0);
    }
    assertTrue(
        run(
            3000,
            () -> {
              ping();
              return rogueHeard(Frames.REVOKE);
            }));
    for (int from = 50_000; from < length; from += 1000) { // late
      rogueSends(1, length, from, 1000);
      run(1, () -> false);
    }
    assertFalse(delivered.contains("rogue 1"));
    for (Connection c : hub.connections) { // the others are through
      if (c.peerName().equals("honest")) {
        assertTrue(
            run(
                20_000,
                () -> {
                  ping();
                  for (int i = 0; i < 3; i++) {
                    ChannelCore core = c.existingChannel(2 + i);
                    if (core != null
                        && core.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 1) > 0) {
                      boolean unused = hub.endpoint.signal(c, core);
                    }
                  }
                  return channel(honest, 2).peerConsumedSequence()
                          + channel(honest, 3).peerConsumedSequence()
                          + channel(honest, 4).peerConsumedSequence()
                      == 3;
                }));
      }
    }
    rogueAnnounces(1, length, 1);
    assertTrue(
        run(
            10_000,
            () -> {
              ping();
              return grantsOfRound(1) > 0;
            }));
    for (int from = 0; from < length; from += 1000) {
      rogueSends(1, length, from, 1000);
      run(1, () -> false);
    }
    assertTrue(run(100, () -> delivered.contains("rogue 1")));
    rogueSends(1, length, 0, 1000);
    run(100, () -> false);
    assertEquals(1, delivered.stream().filter("rogue 1"::equals).count());
  }

  @Test
  void whatNobodyPollsLeavesRoomForOthers() throws RailException {
    Pair.Side filler = peer("filler");
    Pair.Side honest = peer("honest");
    unpolled = "filler";
    for (int i = 0; i < 12; i++) {
      long unused = offer(filler, CHANNEL, LARGE);
      run(20, () -> false);
    }
    run(500, () -> false);
    assertTrue(channel(filler, CHANNEL).acceptedSequence() >= 3, "it has a good part");
    assertTrue(pool.usedBytes() <= POOL * 3 / 4, () -> "but not all: " + pool.usedBytes());
    for (int i = 1; i <= 5; i++) {
      assertTrue(offer(honest, CHANNEL, LARGE) > 0);
      String next = "honest " + i;
      assertTrue(run(200, () -> delivered.contains(next)), next);
    }
    assertTrue(offer(filler, 2, LARGE / 4) > 0); // between channels, too
    assertTrue(run(3000, () -> channel(filler, 2).acceptedSequence() == 1));
    unpolled = "";
    assertTrue(
        run(
            2000,
            () -> {
              ChannelCore core = channel(filler, CHANNEL);
              return core.acceptedSequence() == core.offeredSequence();
            }),
        "and in the end all of it");
  }

  /** Half of the pool: what a node takes by default, and what fits beside it in any case. */
  @ParameterizedTest
  @CsvSource({"70000, 0", "1000000, 0", "2000000, 0", "4194304, 0", "1000000, 3"})
  void theLargestMessageArrivesBesideAChannelThatNobodyPolls(int length, int polledBefore)
      throws RailException {
    Pair.Side filler = peer("filler");
    Pair.Side honest = peer("honest");
    for (int i = 1; i <= polledBefore; i++) {
      String next = "filler " + i;
      assertTrue(offer(filler, CHANNEL, length) > 0);
      assertTrue(run(1000, () -> delivered.contains(next)), next);
    }
    unpolled = "filler";
    for (int i = 0; i < 200; i++) { // more than the pool holds, as quickly as it goes
      long unused = offer(filler, CHANNEL, length);
      run(5, () -> false);
    }
    run(500, () -> false);
    assertTrue(pool.usedBytes() >= POOL / 3, () -> "it has its share: " + pool.usedBytes());
    for (int i = 1; i <= 3; i++) {
      assertTrue(offer(honest, CHANNEL, (int) POOL / 2) > 0);
      String next = "honest " + i;
      assertTrue(run(2000, () -> delivered.contains(next)), next);
    }
    unpolled = "";
    assertTrue(
        run(
            5000,
            () -> {
              ChannelCore core = channel(filler, CHANNEL);
              return core.acceptedSequence() == core.offeredSequence();
            }),
        "and in the end all of it");
  }

  /** A share is a turn, never a ceiling. */
  @Test
  void theLargestMessageArrivesBesideSixtyFourGreedyPeers() throws RailException {
    List<Pair.Side> greedy = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      greedy.add(peer("greedy" + i));
    }
    Pair.Side last = peer("last");
    BooleanSupplier done =
        () -> {
          for (Pair.Side side : greedy) {
            if (channel(side, CHANNEL).offeredSequence()
                < channel(side, CHANNEL).acceptedSequence() + 2) {
              long unused = offer(side, CHANNEL, 150_000);
            }
          }
          return delivered.contains("last 1");
        };
    run(100, done);
    assertTrue(offer(last, CHANNEL, (int) POOL) > 0);
    assertTrue(run(2000, done), () -> delivered.size() + " others came first");
    int before = delivered.size();
    assertTrue(
        run(
            3000,
            () -> {
              boolean unused = done.getAsBoolean();
              return delivered.size() > before + 64;
            }),
        "and the others go on");
  }

  @Test
  void whatAFormerLifeLeftUnpolledIsNamedAndFreedWhenOthersWait() throws RailException {
    Pair.Side filler = peer("filler");
    Pair.Side honest = peer("honest");
    unpolled = "filler";
    assertTrue(offer(filler, CHANNEL, 5 << 20) > 0); // takes the whole pool
    assertTrue(run(500, () -> channel(filler, CHANNEL).acceptedSequence() == 1));
    assertEquals(POOL, pool.usedBytes());
    filler.connections.getLast().close(100 * MS, net.nowNs);
    assertTrue(run(10_000, () -> filler.connections.getLast().state().isOver()));
    run(8000, () -> false);
    assertEquals(POOL, pool.usedBytes(), "nobody waits: it can still be polled");
    assertTrue(offer(honest, CHANNEL, LARGE) > 0);
    assertTrue(run(8000, () -> delivered.contains("honest 1")));
    long incarnation = filler.endpoint.config.incarnation();
    assertTrue(
        hub.events.contains(new NodeEvent.MessagesDropped("filler", incarnation, CHANNEL, 1, 1)),
        hub.events::toString);
    assertEquals(1, hub.endpoint.counters().get(EndpointCounter.MESSAGES_DROPPED));
    unpolled = "";
    run(100, () -> false);
    assertFalse(delivered.contains("filler 1"));
    assertEquals(0, pool.usedBytes());
  }
}
