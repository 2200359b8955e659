// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailLink;
import io.crosstie.multirail.port.PortOpener;
import io.crosstie.multirail.schedule.BrokenScheduler;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.ChannelRefusedFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.Init;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.reliability.wire.RailInfoFrame;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a peer does wrong costs that peer, and nobody else. */
class HostilePeerTest {
  private static final String VICTIM = "mem://victim";
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private final List<Throwable> errors = new ArrayList<>();
  private final byte[] packet = new byte[1472];
  private final Victim victim = new Victim();
  private final Pair.Side honest = new Pair.Side(EndpointConfig.defaults("honest", -1, 2), 2);
  private Rogue rogue;

  /** Its owner has faults of its own, if a test wants it. */
  private final class Victim implements EndpointListener {
    final List<NodeEvent> events = new ArrayList<>();
    final Endpoint endpoint =
        new Endpoint(
            EndpointConfig.defaults("victim", -1, 1),
            new Random(1),
            () -> 0,
            this::scheduler,
            this);
    String throwsAbout = "";
    boolean schedulersThrow;

    private PathScheduler scheduler() {
      return schedulersThrow ? new BrokenScheduler() : new EstimatedCompletion();
    }

    @Override
    public void onEvent(NodeEvent event) {
      events.add(event);
    }

    @Override
    public void onChannel(Connection connection, ChannelCore channel) {
      if (connection.peerName().equals(throwsAbout) && !connection.state().isOver()) {
        throw new IllegalStateException("the owner's own fault");
      }
    }

    @Override
    public void onInternalError(Throwable error) {
      errors.add(error);
    }

    boolean saw(Class<? extends NodeEvent> type) {
      return events.stream().anyMatch(type::isInstance);
    }
  }

  @BeforeEach
  void scene() throws RailException {
    rogue = new Rogue(net, "rogue");
    victim.endpoint.addPort(net.opener(VICTIM), net.nowNs);
    honest.endpoint.addPort(net.opener("mem://honest"), net.nowNs);
    rogue.towards(VICTIM);
    honest.endpoint.connect("victim", List.of(new RailAddress(VICTIM)), net.nowNs);
    assertTrue(run(1000 * MS, () -> isUp(honest)), honest.events::toString);
  }

  private static boolean isUp(Pair.Side side) {
    return side.connections.getLast().state() == Connection.State.UP;
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 20_000) {
      victim.endpoint.poll(net.nowNs);
      honest.endpoint.poll(net.nowNs);
      rogue.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  /** The honest peer is served, the victim's port was never closed, and nothing is left behind. */
  private void assertUnharmed() {
    Connection c = honest.connections.getLast();
    ChannelCore channel = c.channel(1, Priority.NORMAL);
    long seq = channel.offer(MemorySegment.ofArray(new byte[100]), 0, 100);
    boolean unused = honest.endpoint.offered(c, channel);
    assertTrue(run(1000 * MS, () -> channel.acceptedSequence() >= seq), honest.events::toString);
    assertEquals(1, honest.connections.size());
    assertFalse(victim.saw(NodeEvent.PortChanged.class), victim.events::toString);
    assertEquals(0, victim.endpoint.counters().get(EndpointCounter.PORT_RESTARTS));
  }

  private void assertNoInternalErrors() {
    assertEquals(
        0, victim.endpoint.counters().get(EndpointCounter.INTERNAL_ERRORS), errors::toString);
  }

  private List<Connection> withRogue() {
    return victim.endpoint.connections().stream()
        .filter(c -> c.peerName().equals("rogue"))
        .toList();
  }

  private void shakeHands() {
    rogue.init();
    assertTrue(run(1000 * MS, () -> rogue.retries > 0), "RETRY");
    rogue.hello();
  }

  private void connect() {
    shakeHands();
    assertTrue(run(1000 * MS, () -> rogue.remoteId != 0), () -> "WELCOME, or " + rogue.rejects);
  }

  private static Limits withChecksum(int code) {
    return new Limits(1 << 20, code, 4 << 20, 64 << 10, 1000);
  }

  @Test
  void aHelloWithAnUnknownChecksumIsRejectedAndLeavesNothing() {
    rogue.limits = withChecksum(200);
    shakeHands();
    assertTrue(run(1000 * MS, () -> !rogue.rejects.isEmpty()), "REJECT");
    assertEquals(Reject.REFUSED, rogue.rejects.getFirst().reason());
    assertTrue(rogue.rejects.getFirst().text().contains("200"), rogue.rejects::toString);
    assertEquals(List.of(), withRogue());
    assertEquals(1, victim.endpoint.counters().get(EndpointCounter.REJECTED));
    assertUnharmed();
    assertNoInternalErrors();
    rogue.limits = withChecksum(ChecksumKind.ADLER32.wireCode());
    connect();
    assertEquals(Connection.State.UP, withRogue().getFirst().state());
  }

  @Test
  void aWelcomeWithAnUnknownChecksumIsAProblemThatPasses() {
    rogue.limits = withChecksum(10);
    Connection c =
        victim.endpoint.connect("rogue", List.of(new RailAddress(rogue.address)), net.nowNs);
    assertTrue(run(2000 * MS, () -> closes() > 0), "it is told that the connection is over");
    assertEquals(Connection.State.CONNECTING, c.state());
    assertTrue(c.problem().contains("checksum") && c.problem().contains("10"), c.problem());
    int told = closes();
    run(3000 * MS, () -> false);
    assertTrue(closes() > told && closes() <= told + 4, "asked again, not all the time");
    assertTrue(c.problem().contains("checksum"), c.problem());
    assertUnharmed();
    assertNoInternalErrors();
    rogue.limits = withChecksum(ChecksumKind.CRC32C.wireCode());
    assertTrue(run(3000 * MS, () -> c.state() == Connection.State.UP), c::problem);
    assertEquals(List.of(c), withRogue());
  }

  private int closes() {
    int n = 0;
    for (byte[] m : rogue.received) {
      if (Rogue.holds(m, Frames.CLOSE) && CloseFrame.flags(m, PacketHeader.LENGTH) == 0) {
        n++;
      }
    }
    return n;
  }

  @Test
  void aWelcomeWithAnotherEagerLimitOrRailIsNotBelieved() {
    rogue.limits = new Limits(1 << 20, ChecksumKind.CRC32C.wireCode(), 4 << 20, 1 << 10, 1000);
    Connection c =
        victim.endpoint.connect("rogue", List.of(new RailAddress(rogue.address)), net.nowNs);
    assertTrue(run(2000 * MS, () -> c.problem().contains("eager limit")), c::problem);
    rogue.limits = withChecksum(ChecksumKind.CRC32C.wireCode());
    rogue.welcomeRail = 63;
    long invalid = victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS);
    assertTrue(
        run(
            3000 * MS,
            () -> victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS) > invalid),
        c::problem);
    assertEquals(Connection.State.CONNECTING, c.state());
    rogue.welcomeRail = 0;
    assertTrue(run(3000 * MS, () -> c.state() == Connection.State.UP), c::problem);
    assertUnharmed();
    assertNoInternalErrors();
  }

  @Test
  void aNameThatIsNoneIsRejectedOrDropped() {
    Init init =
        new Init(
            PacketHeader.WIRE_VERSION, PacketHeader.WIRE_VERSION, rogue.incarnation, "rogueX", "");
    int length = init.encode(packet, 0, 1200);
    System.arraycopy(new byte[] {(byte) 0xef, (byte) 0xbb, (byte) 0xbf}, 0, packet, 42, 3);
    rogue.sealAndSend(packet, length);
    assertTrue(run(1000 * MS, () -> !rogue.rejects.isEmpty()), "REJECT");
    assertEquals(Reject.REFUSED, rogue.rejects.getFirst().reason());
    assertTrue(rogue.rejects.getFirst().text().contains("NFC"), rogue.rejects::toString);
    rogue.init();
    assertTrue(run(1000 * MS, () -> rogue.retries > 0), "RETRY");
    length = rogue.encodeHello(packet);
    packet[96] = (byte) 0xff; // the first byte of the name is no UTF-8
    long invalid = victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS);
    rogue.sealAndSend(packet, length);
    assertTrue(
        run(
            1000 * MS,
            () -> victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS) > invalid));
    assertEquals(List.of(), withRogue());
    assertThrows(
        IllegalArgumentException.class,
        () -> victim.endpoint.connect("\u200Brogue", List.of(), net.nowNs));
    assertThrows(
        IllegalArgumentException.class,
        () -> new Pair.Side(EndpointConfig.defaults("rogue\uFEFF", -1, 3), 3));
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** Writes one frame and returns its length. */
  private interface FrameWriter {
    int write(byte[] m, int at);
  }

  /** Sends a packet of which one frame is missing, with its payload. */
  private void sendLast(int at, FrameWriter frame) {
    int headerLength = at + frame.write(packet, at);
    int payload = Frames.payloadLength(packet, at);
    Arrays.fill(packet, headerLength, headerLength + payload, (byte) 0);
    PacketHeader.seal(packet, 0, headerLength, Checksum.of(ChecksumKind.CRC32C));
    rogue.send(packet, headerLength + payload);
  }

  /** What is laid out and taken by nobody yet is refused for that reason, and changes nothing. */
  @Test
  void whatIsNotTakenIsRefusedAndCounted() {
    connect();
    Connection c = withRogue().getFirst();
    List<FrameWriter> frames =
        List.of(
            (m, at) -> FragmentFrame.encode(m, at, FragmentFrame.OPEN, 1, 1, 8, 0, 0, 8),
            (m, at) -> FragmentFrame.encode(m, at, FragmentFrame.FINAL, 1, 1, 0, 0, 8, 8));
    long invalid = victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS);
    long errorsBefore = c.counters().get(ConnectionCounter.PROTOCOL_ERRORS);
    for (FrameWriter frame : frames) {
      sendLast(rogue.begin(packet), frame);
    }
    assertTrue(
        run(
            1000 * MS,
            () -> victim.endpoint.counters().get(EndpointCounter.NOT_TAKEN) == frames.size()));
    assertEquals(invalid, victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS));
    assertEquals(errorsBefore, c.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertEquals(0, c.counters().get(ConnectionCounter.MESSAGES_IN));
    assertEquals(List.of(), c.channels());

    // what belongs to an upper layer is passed over by who has none, and what is beside it counts
    int at = rogue.begin(packet);
    packet[at] = (byte) Frames.FIRST_OF_UPPER_LAYERS;
    Arrays.fill(packet, at + 1, at + 24, (byte) 0x77);
    packet[at + Frames.EXTENSION_LENGTH] = 24;
    packet[at + Frames.EXTENSION_LENGTH + 1] = 0;
    at += 24;
    sendLast(at, (m, f) -> EagerFrame.encode(m, f, 0, 1, 1, 0, 0));
    assertTrue(run(1000 * MS, () -> c.counters().get(ConnectionCounter.MESSAGES_IN) == 1));
    assertEquals(frames.size(), victim.endpoint.counters().get(EndpointCounter.NOT_TAKEN));
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** A peer that guesses keys, and claims to send much, takes little of the node's memory. */
  @Test
  void putsWithoutAPlaceTakeNoMemoryForWhatTheyClaim() {
    connect();
    Connection c = withRogue().getFirst();
    MemoryBudget received = victim.endpoint.memory().received();
    long before = received.usedBytes();
    int puts = 1000;
    for (int i = 1; i <= puts; i++) {
      long number = i;
      sendLast(
          rogue.begin(packet),
          (m, at) ->
              PlacedFrame.encode(
                  m, at, 0, PlacementChannels.FIRST, number, 8, 0, 0, 16 << 20, number, 0));
      boolean unused = i % 50 == 0 && run(MS, () -> false);
    }
    assertTrue(
        run(1000 * MS, () -> c.counters().get(ConnectionCounter.PLACED_REFUSED) == puts),
        () -> c.counters().get(ConnectionCounter.PLACED_REFUSED) + " refused");
    long taken = received.usedBytes() - before;
    assertTrue(taken < 1 << 20, () -> taken + " B");
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** Who asks without end, and takes no answer, gets so many, and no more of the node's memory. */
  @Test
  void requestsWhoseAnswersNobodyTakesAreBounded() {
    connect();
    Connection c = withRogue().getFirst();
    MemoryBudget sent = victim.endpoint.memory().sent();
    long before = sent.usedBytes();
    int sum = Checksum.of(ChecksumKind.CRC32C).compute(new byte[16], 0, 16);
    for (int i = 1; i <= 6000; i++) {
      long number = i;
      sendLast(
          rogue.begin(packet),
          (m, at) -> {
            int channel = PlacementChannels.FIRST;
            int length = PlacedFrame.encode(m, at, 16, channel, number, 16, sum, 0, 16, number, 8);
            PlacedFrame.setKind(m, at, PlacedKind.GET);
            return length;
          });
      boolean unused = i % 50 == 0 && run(MS, () -> false);
    }
    assertEquals(4096, c.answersOutstanding());
    long taken = sent.usedBytes() - before;
    assertTrue(taken >= 4096 * 512 && taken < 4 << 20, () -> taken + " B");
    assertUnharmed();
    c.close(0, net.nowNs);
    assertTrue(run(60_000 * MS, () -> c.state().isOver()));
    run(1000 * MS, () -> false);
    assertEquals(0, c.answersOutstanding());
    assertNoInternalErrors();
  }

  /** An answer to what nobody asked for is refused, and one on a channel of puts is senseless. */
  @Test
  void answersThatNobodyAskedForAreRefused() {
    connect();
    Connection c = withRogue().getFirst();
    int[] channels = {PlacementChannels.FIRST + PlacementChannels.PUTS, PlacementChannels.FIRST};
    for (int channel : channels) {
      sendLast(
          rogue.begin(packet),
          (m, at) -> {
            int length = PlacedFrame.encode(m, at, 16, channel, 1, 24, 0, 0, 24, 1024, 0);
            PlacedFrame.setKind(m, at, PlacedKind.ANSWER);
            return length;
          });
    }
    assertTrue(
        run(1000 * MS, () -> c.counters().get(ConnectionCounter.PROTOCOL_ERRORS) == 1),
        () -> c.counters().get(ConnectionCounter.PROTOCOL_ERRORS) + " errors");
    assertEquals(1, c.counters().get(ConnectionCounter.PLACED_REFUSED));
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** Puts to a peer that knows none are refused at once, for good. */
  @Test
  void aPeerThatTakesNoPutsIsToldApartFromOneThatConnects() {
    Connection c =
        victim.endpoint.connect("rogue", List.of(new RailAddress(rogue.address)), net.nowNs);
    Put put =
        new Put(1, 0, MemorySegment.NULL, 0, 0, new byte[1]) {
          @Override
          public void onComplete(long sequence, @Nullable String error) {}
        };
    assertEquals(Status.CONNECTING, c.placement().put(c.placement().channelOf(put), put));
    assertTrue(run(2000 * MS, () -> c.state() == Connection.State.UP), c::problem);
    long status = c.placement().put(c.placement().channelOf(put), put);
    assertEquals("UNSUPPORTED", Status.name(status));
    c.close(0, net.nowNs);
    assertTrue(run(2000 * MS, () -> c.state().isOver()));
    assertEquals(Status.CLOSED, c.placement().put(c.placement().channelOf(put), put));
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** A peer that refuses a channel on which it has sent contradicts itself. */
  @Test
  void aRefusalOfAChannelInUseIsNotBelieved() {
    connect();
    Connection c = withRogue().getFirst();
    int at = rogue.begin(packet);
    sendLast(at, (m, f) -> EagerFrame.encode(m, f, 0, 1, 1, 0, 0));
    assertTrue(run(1000 * MS, () -> c.counters().get(ConnectionCounter.MESSAGES_IN) == 1));
    at = rogue.begin(packet);
    int reason = ChannelRefusedFrame.NO_MORE_CHANNELS;
    rogue.sealAndSend(packet, at + ChannelRefusedFrame.encode(packet, at, 1, reason));
    assertTrue(run(1000 * MS, () -> c.counters().get(ConnectionCounter.PROTOCOL_ERRORS) == 1));
    assertEquals(0, c.channel(1, null).terminalStatus());
    assertFalse(victim.saw(NodeEvent.ChannelRefused.class), victim.events::toString);
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** A peer whose WELCOME was lost asks by another port: its rail leaves by that one then. */
  @Test
  void aRailThatMovesToAnotherPortHasThatPortsWeight() throws RailException {
    PortOpener heavy = heavy(net.opener("mem://second.victim"), 7);
    victim.endpoint.addPort(heavy, net.nowNs);
    connect();
    Connection c = withRogue().getFirst();
    RailLink link = Objects.requireNonNull(c.path(0)).link();
    assertEquals(0, link.portIndex());
    assertEquals(1, link.weight());
    assertFalse(run(1000 * MS, () -> link.portIndex() != 0));
    rogue.towards("mem://second.victim");
    rogue.hello();
    assertTrue(run(1000 * MS, () -> link.portIndex() == 1), victim.events::toString);
    assertEquals(7, link.weight());
    assertEquals("mem://second.victim", link.name());
  }

  private static PortOpener heavy(PortOpener light, int weight) {
    return new PortOpener() {
      @Override
      public String name() {
        return light.name();
      }

      @Override
      public int weight() {
        return weight;
      }

      @Override
      public RailPort open(PortHandler handler) throws RailException {
        return light.open(handler);
      }
    };
  }

  /** R31: what a rail takes is charged before it is taken, and given back with the connection. */
  @Test
  void railsThatAPeerInventsAreCharged() {
    connect();
    MemoryBudget received = victim.endpoint.memory().received();
    long before = received.usedBytes();
    for (int rail = 1; rail <= PacketHeader.MAX_RAIL; rail++) {
      int at = PacketHeader.begin(packet, 0, PacketHeader.DATA, rail, rogue.remoteId, 0);
      rogue.sealAndSend(packet, at + ChallengeFrame.encode(packet, at, rail, 0, 5));
    }
    Connection c = withRogue().getFirst();
    assertTrue(run(1000 * MS, () -> c.rails().size() == PacketHeader.MAX_RAIL + 1));
    assertTrue(received.usedBytes() - before >= PacketHeader.MAX_RAIL * 8192L);
    int at = rogue.begin(packet);
    rogue.sealAndSend(packet, at + CloseFrame.encode(packet, at, 0, 0, 0));
    assertTrue(run(1000 * MS, () -> c.state().isOver()));
    assertTrue(received.usedBytes() <= before);
    assertUnharmed();
    assertNoInternalErrors();
  }

  /** However little a peer says that it can receive, packets of the base size are sent to it. */
  @Test
  void extremeLimitsOfAPeerHarmNobody() {
    rogue.limits = new Limits(1, ChecksumKind.CRC32C.wireCode(), Long.MAX_VALUE, 64 << 10, 0);
    rogue.railInfo = new RailInfo(1, 1200, false);
    connect();
    int at = rogue.begin(packet);
    at += RailInfoFrame.encode(packet, at, 0, 0, 1, 1200);
    at += RailInfoFrame.encode(packet, at, 63, 0xffff, Integer.MAX_VALUE, Integer.MAX_VALUE);
    at += RailInfoFrame.encode(packet, at, 0, 0, 1, Integer.MAX_VALUE);
    rogue.sealAndSend(packet, at);
    run(100 * MS, () -> false);
    rogue.acknowledge();
    run(100 * MS, () -> false);
    Connection c = withRogue().getFirst();
    assertEquals(Connection.State.UP, c.state());
    ChannelCore channel = c.channel(1, Priority.NORMAL);
    int before = rogue.received.size();
    long unused = channel.offer(MemorySegment.ofArray(new byte[1]), 0, 1);
    boolean ignored = victim.endpoint.offered(c, channel);
    assertTrue(run(100 * MS, () -> hasMessage(before)), "a message leaves");
    assertUnharmed();
    assertNoInternalErrors();
  }

  private boolean hasMessage(int from) {
    return rogue.received.stream().skip(from).anyMatch(m -> Rogue.holds(m, Frames.EAGER));
  }

  /** No fault of the library is known that a packet meets; so its owner has one. */
  @Test
  void aPacketWhoseHandlingThrowsEndsItsConnectionAndNothingElse() {
    connect();
    victim.throwsAbout = "rogue";
    int at = rogue.begin(packet);
    at += EagerFrame.encode(packet, at, 0, 1, 1, 0, 0);
    rogue.sealAndSend(packet, at);
    assertTrue(run(10 * MS, () -> !errors.isEmpty()));
    assertEnded();
    at = rogue.begin(packet);
    at += PingFrame.encode(packet, at);
    at += PingFrame.encode(packet, at);
    rogue.sealAndSend(packet, at);
    assertTrue(run(100 * MS, () -> rogue.received.stream().anyMatch(Rogue::isReset)), "and told");
  }

  @Test
  void aDutyCycleThatThrowsEndsItsConnectionAndNothingElse() {
    victim.schedulersThrow = true;
    connect();
    Connection c = withRogue().getFirst();
    ChannelCore channel = c.channel(1, Priority.NORMAL);
    long unused = channel.offer(MemorySegment.ofArray(new byte[1]), 0, 1);
    boolean ignored = victim.endpoint.offered(c, channel);
    assertTrue(run(10 * MS, () -> !errors.isEmpty()));
    assertEquals(Status.PEER_LOST, channel.terminalStatus());
    assertEnded();
  }

  private void assertEnded() {
    run(MS, () -> false);
    assertEquals(1, errors.size(), errors::toString);
    assertEquals(1, victim.endpoint.counters().get(EndpointCounter.INTERNAL_ERRORS));
    assertEquals(List.of(), withRogue(), "it has ended");
    List<NodeEvent> lost =
        victim.events.stream().filter(NodeEvent.PeerLost.class::isInstance).toList();
    assertEquals(1, lost.size(), lost::toString);
    assertEquals("rogue", lost.getFirst().peer());
    assertTrue(lost.toString().contains("the owner's own fault"), lost::toString);
    assertUnharmed();
  }
}
