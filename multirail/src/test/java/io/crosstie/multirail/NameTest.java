// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.handshake.NameClaims;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The living keep their names (R33): a hub, workers of one name, and whoever says he is one. */
@Tag("R33")
class NameTest {
  private static final String HUB = "mem://hub";
  private static final String OLD = "mem://old";
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private final Pair.Side hub = side("hub", 1);
  private final Pair.Side old = side("worker", 2);

  /** All that run. */
  private final List<Pair.Side> running = new ArrayList<>(List.of(hub, old));

  private static Pair.Side side(String name, long incarnation) {
    return new Pair.Side(EndpointConfig.defaults(name, -1, incarnation), incarnation);
  }

  @BeforeEach
  void scene() throws RailException {
    hub.endpoint.addPort(net.opener(HUB), net.nowNs);
    old.endpoint.addPort(net.opener(OLD), net.nowNs);
    dial(old);
    assertTrue(run(1000 * MS, () -> isUp(old)), old.events::toString);
  }

  private void dial(Pair.Side side) {
    side.endpoint.connect("hub", List.of(new RailAddress(HUB)), net.nowNs);
  }

  private Pair.Side worker(long incarnation, String address) throws RailException {
    Pair.Side side = side("worker", incarnation);
    side.endpoint.addPort(net.opener(address), net.nowNs);
    dial(side);
    running.add(side);
    return side;
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 20_000) {
      running.forEach(side -> side.endpoint.poll(net.nowNs));
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void run(long forNs) {
    run(forNs, () -> false);
  }

  /** Like a kill: nothing leaves any more, and nobody answers at its address. */
  private void kill(Pair.Side side, String address) {
    running.remove(side);
    MemoryNet.Port port = net.ports.get(address);
    port.close();
  }

  private static boolean isUp(Pair.Side side) {
    return side.connections.getLast().state() == Connection.State.UP;
  }

  private static <E extends NodeEvent> List<E> events(Pair.Side side, Class<E> type) {
    return side.events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  private static long offer(Pair.Side side) {
    Connection c = side.connections.getLast();
    ChannelCore channel = c.channel(1, Priority.NORMAL);
    long seq = channel.offer(MemorySegment.ofArray(new byte[100]), 0, 100);
    if (seq > 0) {
      boolean unused = side.endpoint.offered(c, channel);
    }
    return seq;
  }

  private static boolean isAccepted(Pair.Side side, long seq) {
    ChannelCore channel = side.connections.getLast().existingChannel(1);
    return channel != null && channel.acceptedSequence() >= seq;
  }

  private void assertUnharmed() {
    long seq = offer(old);
    assertTrue(seq > 0, () -> Status.name(seq) + " " + old.events);
    assertTrue(run(1000 * MS, () -> isAccepted(old, seq)), old.events::toString);
    assertEquals(1, old.connections.size());
    assertFalse(old.saw(NodeEvent.PeerLost.class), old.events::toString);
    assertFalse(hub.saw(NodeEvent.PeerLost.class), hub.events::toString);
    assertFalse(hub.saw(NodeEvent.PeerRestarted.class), hub.events::toString);
  }

  @Test
  void aSecondProcessOfTheNameIsRejectedAndBothSidesAreTold() throws RailException {
    Pair.Side twin = worker(3, "mem://twin");
    assertTrue(run(1000 * MS, () -> twin.saw(NodeEvent.Rejected.class)), hub.events::toString);
    run(5000 * MS);
    assertFalse(isUp(twin));
    List<NodeEvent.Rejected> told = events(twin, NodeEvent.Rejected.class);
    assertEquals(1, told.size(), told::toString);
    assertEquals("NAME_TAKEN", told.getFirst().reason());
    String why = "another process already runs as \"worker\"";
    assertTrue(told.getFirst().why().contains(why), told::toString);
    assertTrue(twin.connections.getLast().problem().contains(why));
    List<NodeEvent.NewcomerRejected> rejected = events(hub, NodeEvent.NewcomerRejected.class);
    assertEquals(1, rejected.size(), rejected::toString);
    assertEquals("worker", rejected.getFirst().peer());
    assertEquals("mem://twin", rejected.getFirst().from());
    assertEquals(3, rejected.getFirst().incarnation());
    assertUnharmed();
  }

  @Test
  void theClaimantIsAcceptedWhenTheHolderHasEnded() throws RailException {
    Pair.Side twin = worker(3, "mem://twin");
    run(3000 * MS);
    assertFalse(isUp(twin));
    old.connections.getLast().close(0, net.nowNs);
    assertTrue(run(2000 * MS, () -> isUp(twin)), hub.events::toString);
    assertEquals(3, hub.connections.getLast().peerIncarnation());
  }

  /** A busy holder answers with what it acknowledges. */
  @Test
  void aHolderThatLosesEveryOtherPacketKeepsItsName() throws RailException {
    Pair.Side twin = worker(3, "mem://twin");
    net.blackHole(OLD, true); // the first try is lost
    run(100 * MS);
    net.blackHole(OLD, false);
    run(3000 * MS);
    assertFalse(isUp(twin));
    assertUnharmed();
  }

  @Test
  void aRogueThatOnlySendsHelloCutsNobodyOff() throws RailException {
    Rogue rogue = new Rogue(net, "worker");
    rogue.towards(HUB);
    for (int i = 0; i < 40; i++) {
      rogue.incarnation = i % 2 == 0 ? 77 + i : 2; // the holder's own is no secret
      rogue.init();
      run(MS);
      rogue.poll(net.nowNs);
      rogue.hello();
      run(100 * MS);
      rogue.poll(net.nowNs);
    }
    assertEquals(0, rogue.remoteId, "no WELCOME");
    assertTrue(rogue.rejects.stream().anyMatch(r -> r.reason() == Reject.NAME_TAKEN));
    assertTrue(events(hub, NodeEvent.NewcomerRejected.class).size() <= 16, hub.events::toString);
    assertUnharmed();
  }

  @Test
  void aRestartedProcessOnTheSamePortIsInAtOnce() throws RailException {
    kill(old, OLD);
    Pair.Side again = worker(3, OLD);
    assertTrue(run(200 * MS, () -> isUp(again)), hub.events::toString);
    assertFirstMessage(again, 200 * MS);
    assertTrue(hub.saw(NodeEvent.PeerRestarted.class));
    assertFalse(again.saw(NodeEvent.Rejected.class), again.events::toString);
  }

  @Test
  void aRestartedProcessAtAnotherAddressIsInWithinTwoSeconds() throws RailException {
    kill(old, OLD);
    Pair.Side again = worker(3, "mem://elsewhere");
    long beginNs = net.nowNs;
    assertFirstMessage(again, 2000 * MS);
    assertTrue(net.nowNs - beginNs >= NameClaims.CHALLENGE_NS, "it has had its time to answer");
    assertEquals(1, events(hub, NodeEvent.PeerRestarted.class).size());
    assertFalse(again.saw(NodeEvent.Rejected.class), again.events::toString);
  }

  @Test
  void aRestartedProcessWhoseOldRailIsClosedIsInAtOnce() throws RailException {
    kill(old, OLD);
    hub.connections.getLast().path(0).link().rail().close(); // a doorbell's end of file
    Pair.Side again = worker(3, "mem://elsewhere");
    assertFirstMessage(again, 200 * MS);
  }

  @Test
  void anAnswerThatNobodyListensThereShortensTheWait() throws RailException {
    kill(old, OLD);
    Pair.Side again = worker(3, "mem://elsewhere");
    long seq = offer(again);
    long beginNs = net.nowNs;
    boolean in =
        run(
            2000 * MS,
            () -> {
              MemoryNet.Port port = net.ports.get(HUB);
              RailPath path = hub.connections.getFirst().path(0);
              if (path.link().rail() != null) {
                port.announce(path.link().rail(), LinkEvent.REFUSED);
              }
              return isAccepted(again, seq);
            });
    assertTrue(in, hub.events::toString);
    assertTrue(net.nowNs - beginNs < NameClaims.CHALLENGE_NS);
  }

  private void assertFirstMessage(Pair.Side side, long withinNs) {
    long seq = offer(side);
    assertTrue(seq > 0);
    assertTrue(run(withinNs, () -> isAccepted(side, seq)), hub.events::toString);
  }

  @Test
  void aSupersededProcessThatWakesIsFencedAndTold() throws RailException {
    long unknown = offer(old);
    running.remove(old); // stopped
    Pair.Side newer = worker(3, "mem://newer");
    assertFirstMessage(newer, 2000 * MS);
    Connection fenced = old.connections.getLast();
    running.add(old);
    assertTrue(run(2000 * MS, () -> old.saw(NodeEvent.Superseded.class)), old.events::toString);
    assertEquals(Connection.State.SUPERSEDED, fenced.state());
    assertEquals(Status.SUPERSEDED, offer(old));
    NodeEvent.Superseded told = events(old, NodeEvent.Superseded.class).getFirst();
    assertEquals("hub", told.peer());
    assertEquals(List.of(new NodeEvent.Unknown(1, unknown, unknown)), told.unknown());
    assertTrue(told.why().contains("superseded"), told::toString);
    run(5000 * MS);
    assertEquals(1, old.connections.size(), "it is not connected anew");
    assertEquals(1, events(old, NodeEvent.Superseded.class).size());
    assertTrue(isUp(newer));
    assertEquals(1, events(hub, NodeEvent.PeerRestarted.class).size());
  }

  /** Who was superseded at one peer, and finds it where it looks for another, is not fenced off. */
  @Test
  void aSupersededProcessThatLooksForAnotherPeerIsOnlyToldThatItIsNotThere() throws RailException {
    running.remove(old);
    Pair.Side newer = worker(3, "mem://newer");
    assertTrue(run(2000 * MS, () -> isUp(newer)), hub.events::toString);
    running.add(old);
    old.endpoint.connect("another", List.of(new RailAddress(HUB)), net.nowNs);
    Connection c = old.connections.getLast();
    run(3000 * MS);
    assertEquals(Connection.State.CONNECTING, c.state(), old.events::toString);
    List<NodeEvent.Rejected> told = events(old, NodeEvent.Rejected.class);
    assertEquals(List.of("WRONG_NAME"), told.stream().map(NodeEvent.Rejected::reason).toList());
  }

  /** The hub forgot the connection: the process is told when it connects again. */
  @Test
  void aSupersededProcessThatConnectsAgainIsToldToo() throws RailException {
    running.remove(old);
    Pair.Side newer = worker(3, "mem://newer");
    assertTrue(run(2000 * MS, () -> isUp(newer)), hub.events::toString);
    old.connections.getLast().onLost("for the test", net.nowNs);
    running.add(old);
    assertTrue(run(2000 * MS, () -> old.saw(NodeEvent.Superseded.class)), old.events::toString);
    run(3000 * MS);
    assertEquals(Connection.State.SUPERSEDED, old.connections.getLast().state());
    assertTrue(isUp(newer));
  }

  @Test
  void aForgedRejectionEndsNothing() throws RailException {
    Rogue rogue = new Rogue(net, "rogue");
    rogue.towards(OLD);
    byte[] packet = new byte[240];
    for (long id : new long[] {0, 1, old.connections.getLast().peerId()}) {
      Reject forged = new Reject(id, Reject.RESTARTED, 1, 1, 2, "superseded");
      rogue.sealAndSend(packet, forged.encode(packet, 0, 240));
    }
    run(100 * MS);
    assertFalse(old.saw(NodeEvent.Superseded.class));
    assertUnharmed();
  }

  @Test
  void nobodyComesUnderTheNodesOwnName() throws RailException {
    Pair.Side namesake = side("hub", 9);
    namesake.endpoint.addPort(net.opener("mem://namesake"), net.nowNs);
    dial(namesake);
    running.add(namesake);
    assertTrue(run(1000 * MS, () -> namesake.saw(NodeEvent.Rejected.class)), hub.events::toString);
    NodeEvent.Rejected told = events(namesake, NodeEvent.Rejected.class).getFirst();
    assertEquals("NAME_TAKEN", told.reason());
    assertEquals(1, hub.connections.size());
    assertUnharmed();
  }

  /** An idle peer whose time-out is shorter than the usual keep-alive is no lost one. */
  @Test
  @Tag("R19")
  void anIdlePeerIsNotLostHoweverShortItsTimeout() throws RailException {
    Pair.Side one = impatient("one", 11);
    Pair.Side two = impatient("two", 12);
    one.endpoint.addPort(net.opener("mem://one"), net.nowNs);
    two.endpoint.addPort(net.opener("mem://two"), net.nowNs);
    two.endpoint.connect("one", List.of(new RailAddress("mem://one")), net.nowNs);
    running.addAll(List.of(one, two));
    assertTrue(run(1000 * MS, () -> isUp(two)), two.events::toString);
    run(20_000 * MS);
    assertFalse(one.saw(NodeEvent.PeerLost.class), one.events::toString);
    assertFalse(two.saw(NodeEvent.PeerLost.class), two.events::toString);
  }

  private static Pair.Side impatient(String name, long incarnation) {
    EndpointConfig d = EndpointConfig.defaults(name, -1, incarnation);
    EndpointConfig config =
        new EndpointConfig(
            name,
            -1,
            incarnation,
            d.checksum(),
            d.maxMessageBytes(),
            d.eagerLimitBytes(),
            d.channelWindowBytes(),
            d.sendLogBytes(),
            d.largePoolBytes(),
            d.memoryBytes(),
            d.maxAckDelayNs(),
            d.suspectFloorNs(),
            d.downNs(),
            d.keepAliveNs() / 2, // the peer time-out, shorter than the keep-alive
            d.keepAliveNs(),
            d.probesToRecover(),
            d.recoverNs(),
            true,
            d.maxConnections(),
            d.maxChannels(),
            d.accelerator(),
            d.shortcuts());
    return new Pair.Side(config, incarnation);
  }

  @Test
  void whoIsAboutToCloseLetsNobodyIn() throws RailException {
    hub.endpoint.refuseNew();
    Pair.Side other = side("other", 5);
    other.endpoint.addPort(net.opener("mem://other"), net.nowNs);
    dial(other);
    running.add(other);
    assertTrue(run(1000 * MS, () -> other.saw(NodeEvent.Rejected.class)), hub.events::toString);
    assertEquals("CLOSING", events(other, NodeEvent.Rejected.class).getFirst().reason());
    assertUnharmed();
  }
}
