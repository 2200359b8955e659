// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.handshake.SeedResolver;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.reliability.wire.Reset;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Handshakes that do not go the short way. */
class HandshakerTest {
  private static final String LEFT = "mem://left";
  private static final String RIGHT = "mem://right";
  private static final long MS = 1_000_000;

  private final MemoryNet net = new MemoryNet();
  private Pair.Side left = side("left", 1);
  private Pair.Side right = side("right", 2);

  @BeforeEach
  void ports() throws RailException {
    left.endpoint.addPort(net.opener(LEFT), net.nowNs);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
  }

  private static Pair.Side side(String name, long incarnation) {
    return new Pair.Side(EndpointConfig.defaults(name, -1, incarnation), incarnation);
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 10_000) {
      left.endpoint.poll(net.nowNs);
      right.endpoint.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  /** Runs until the right side has accepted, and its WELCOME did not arrive. */
  private long accepted() {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    long retries = net.sent + 2;
    assertTrue(run(100 * MS, () -> net.sent == retries), "INIT and RETRY");
    net.blackHole(LEFT, true);
    assertTrue(run(1000 * MS, () -> !right.connections.isEmpty()), "HELLO");
    assertEquals(Connection.State.CONNECTING, left.connections.getFirst().state());
    return right.connections.getFirst().peerId();
  }

  private boolean isUp() {
    return left.connections.getLast().state() == Connection.State.UP;
  }

  private boolean areUp() {
    return isUp() && right.connections.getLast().state() == Connection.State.UP;
  }

  @Test
  @Tag("R11")
  void anIdThatADeadIncarnationWasToldIsNotUsedWithTheNext() throws RailException {
    long told = accepted();
    assertEquals(told, left.connections.getFirst().id());
    right.endpoint.close();
    right = side("right", 3);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
    net.blackHole(LEFT, false);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertEquals(1, left.connections.size(), "the application's connection stays what it is");
    assertEquals(left.connections.getFirst().id(), right.connections.getFirst().peerId());
    assertNotEquals(told, left.connections.getFirst().id());
    assertEquals(3, left.connections.getFirst().peerIncarnation());
  }

  @Test
  @Tag("R11")
  void theSameHoldsIfTheNextIncarnationComesByItself() throws RailException {
    long told = accepted();
    right.endpoint.close();
    right = side("right", 3);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
    net.blackHole(RIGHT, true); // nothing of the left side's own handshake gets through any more
    run(3000 * MS, () -> false);
    right.endpoint.connect("left", List.of(new RailAddress(LEFT)), net.nowNs);
    net.blackHole(LEFT, false);
    net.blackHole(RIGHT, false);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertNotEquals(told, left.connections.getLast().id());
  }

  /** The acceptor has lost the connection that the initiator still waits for. */
  private long acceptedAndLost() throws RailException {
    right.endpoint.close();
    EndpointConfig config = EndpointConfig.defaults("right", -1, 2);
    right = new Pair.Side(config.change().peerTimeoutNs(1000 * MS).build(), 2);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
    long told = accepted();
    assertTrue(run(3000 * MS, () -> right.saw(NodeEvent.PeerLost.class)));
    return told;
  }

  @Test
  @Tag("R11")
  void anIdOfAConnectionThatEndedIsNotAcceptedAgain() throws RailException {
    long told = acceptedAndLost();
    assertEquals(told, left.connections.getFirst().id(), "it still waits under that id");
    net.blackHole(LEFT, false);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertNotEquals(told, left.connections.getLast().id());
    assertEquals(left.connections.getLast().id(), right.connections.getLast().peerId());
    assertEquals(1, left.connections.size(), "the application's connection stays what it is");
    assertFalse(left.saw(NodeEvent.Rejected.class), left.events::toString);
  }

  @Test
  @Tag("R11")
  void anIdOfAConnectionThatEndedIsNotGivenToTheNext() throws RailException {
    long told = acceptedAndLost();
    net.blackHole(RIGHT, true); // nothing of the left side's own handshake gets through any more
    run(3000 * MS, () -> false);
    right.endpoint.connect("left", List.of(new RailAddress(LEFT)), net.nowNs);
    net.blackHole(LEFT, false);
    net.blackHole(RIGHT, false);
    assertTrue(run(10_000 * MS, this::areUp), left.events::toString);
    assertNotEquals(told, left.connections.getLast().id());
    assertEquals(left.connections.getLast().id(), right.connections.getLast().peerId());
    assertFalse(left.saw(NodeEvent.PeerLost.class), left.events::toString);
  }

  @Test
  void aWelcomeThatWasLostForLongLeavesTheAcceptorsConnectionAlone() {
    long told = accepted();
    run(5000 * MS, () -> false);
    net.blackHole(LEFT, false);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertEquals(told, left.connections.getFirst().id());
    assertEquals(1, right.connections.size());
    assertFalse(right.saw(NodeEvent.PeerLost.class), right.events::toString);
  }

  /** From the first port a packet would get there, and the answer would not come back. */
  @Test
  @Tag("R23")
  void aSeedIsTriedFromThePortThatIsMostLikeIt() throws RailException {
    String second = "mem://right-left";
    left.endpoint.addPort(net.opener(second), net.nowNs);
    net.blackHole(LEFT, true);
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertEquals(second, left.connections.getFirst().rails().getFirst().local());
  }

  /** Both may well have one address: then the first of them is no better than the second. */
  @Test
  @Tag("R23")
  void aSeedIsTriedFromTheNextPortWhereNoAnswerComesBackToTheFirst() throws RailException {
    String likest = "mem://right-left";
    left.endpoint.addPort(net.opener(likest), net.nowNs);
    net.blackHole(likest, true);
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(10_000 * MS, this::isUp), left.events::toString);
    assertEquals(LEFT, left.connections.getFirst().rails().getFirst().local());
  }

  /** A look-up that the test answers. */
  private record LookUp(RailAddress seed, Consumer<SeedResolver.Answer> answer) {
    void found(String... addresses) {
      answer.accept(
          new SeedResolver.Answer(Stream.of(addresses).map(RailAddress::new).toList(), ""));
    }
  }

  private List<LookUp> lookUps() {
    List<LookUp> asked = new ArrayList<>();
    left.endpoint.setSeedResolver((seed, answer) -> asked.add(new LookUp(seed, answer)));
    return asked;
  }

  private static final RailAddress NAME = new RailAddress("mem://name.example");

  @Test
  @Tag("R37")
  void aNameServerThatNeverAnswersHoldsUpNobody() {
    List<LookUp> asked = lookUps();
    left.endpoint.connect("third", List.of(NAME), net.nowNs);
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(100 * MS, () -> asked.size() == 2));
    asked.stream().filter(one -> !one.seed().equals(NAME)).forEach(one -> one.found(RIGHT));
    assertTrue(run(1000 * MS, this::isUp), left.events::toString);
    run(20_000 * MS, () -> false);
    assertEquals(2, asked.size(), "one question of each at a time");
    assertTrue(left.connections.getFirst().problem().contains("is being looked up"));
  }

  @Test
  @Tag("R37")
  void aSeedLeadsWhereItsNameLeadsAndAllAddressesAreTried() {
    List<LookUp> asked = lookUps();
    left.endpoint.connect("right", List.of(NAME), net.nowNs);
    assertTrue(run(100 * MS, () -> asked.size() == 1));
    assertEquals(NAME, asked.getFirst().seed());
    assertFalse(run(1000 * MS, this::isUp));
    asked.getFirst().found("mem://nobody", RIGHT);
    assertTrue(run(1000 * MS, this::isUp), left.events::toString);
    assertEquals(RIGHT, left.connections.getFirst().rails().getFirst().remote());
  }

  @Test
  @Tag("R37")
  void aNameIsAskedForAgainAsLongAsItsPeerDoesNotAnswer() {
    List<LookUp> asked = lookUps();
    left.endpoint.connect("right", List.of(NAME), net.nowNs);
    assertTrue(run(100 * MS, () -> asked.size() == 1));
    asked.getFirst().answer().accept(new SeedResolver.Answer(List.of(), "unknown host"));
    assertFalse(run(4000 * MS, () -> asked.size() > 1), "not at once");
    assertTrue(left.connections.getFirst().problem().contains("unknown host"));
    assertTrue(run(10_000 * MS, () -> asked.size() == 2));
    asked.get(1).found("mem://nobody");
    assertTrue(run(30_000 * MS, () -> asked.size() == 3));
    asked.get(2).found(RIGHT);
    assertTrue(run(1000 * MS, this::isUp), left.events::toString);
  }

  /** Whoever tells of what is not there costs less and less. */
  @Test
  @Tag("R37")
  void aRailThatWasNeverOfUseIsTriedLessAndLessOften() throws RailException {
    left.endpoint.addPort(net.opener("mem://second.left"), net.nowNs);
    right.endpoint.addPort(net.opener("mem://second.right"), net.nowNs);
    net.blackHole("mem://second.right", true);
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp), left.events::toString);
    run(
        20_000 * MS,
        () -> {
          RailPath second = left.connections.getFirst().path(1);
          if (second != null && second.link().rail() != null) {
            second.link().rail().close();
          }
          return false;
        });
    RailPath second = left.connections.getFirst().path(1);
    assertNotNull(second);
    long opened = second.counters().get(RailCounter.RESTARTS);
    assertTrue(opened > 5 && opened < 20, () -> "opened " + opened + " times");
  }

  /** A name that moves after minutes is found as soon as one that moves at once. */
  @Test
  @Tag("R37")
  void aNameIsAskedForEveryFewSecondsForEver() {
    List<LookUp> asked = lookUps();
    left.endpoint.connect("right", List.of(NAME), net.nowNs);
    int answered = 0;
    for (long end = net.nowNs + 300_000 * MS; net.nowNs < end; net.nowNs += MS) {
      left.endpoint.poll(net.nowNs);
      while (answered < asked.size()) {
        asked.get(answered++).found("mem://nobody");
      }
    }
    int before = asked.size();
    assertTrue(before >= 20 && before < 70, () -> "asked " + before + " times in five minutes");
    assertTrue(run(16_000 * MS, () -> asked.size() > before));
    asked.getLast().found(RIGHT);
    assertTrue(run(1000 * MS, this::isUp), left.events::toString);
  }

  @Test
  @Tag("R37")
  void ofManyAddressesAllAreTriedAtLast() {
    List<String> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add("mem://nobody" + i);
    }
    many.add(RIGHT);
    left.endpoint.setSeedResolver(
        (seed, answer) -> new LookUp(seed, answer).found(many.toArray(String[]::new)));
    left.endpoint.connect("right", List.of(NAME), net.nowNs);
    for (long end = net.nowNs + 60_000 * MS; net.nowNs < end && !isUp(); net.nowNs += MS / 10) {
      left.endpoint.poll(net.nowNs);
      right.endpoint.poll(net.nowNs);
    }
    assertTrue(isUp(), () -> left.connections.getFirst().problem());
  }

  /** Whose answer comes last does not decide: the name of one leads to another one as well. */
  @Test
  void anotherNodeThatRejectsDoesNotKeepUsFromTheOneThatAccepts() throws RailException {
    Pair.Side third = side("third", 3);
    third.endpoint.addPort(net.opener("mem://third"), net.nowNs);
    for (String first : List.of(RIGHT, "mem://third")) {
      String second = first.equals(RIGHT) ? "mem://third" : RIGHT;
      Pair.Side from = side("from" + second, 4);
      from.endpoint.addPort(net.opener("mem://from" + second.substring(6)), net.nowNs);
      from.endpoint.connect(
          "right", List.of(new RailAddress(first), new RailAddress(second)), net.nowNs);
      Connection c = from.connections.getFirst();
      for (long end = net.nowNs + 5000 * MS;
          net.nowNs < end && c.state() != Connection.State.UP;
          net.nowNs += 10_000) {
        from.endpoint.poll(net.nowNs);
        for (String one : List.of(first, second)) { // whose answers come in this order
          (one.equals(RIGHT) ? right : third).endpoint.poll(net.nowNs);
        }
      }
      assertEquals(Connection.State.UP, c.state(), () -> first + " first: " + c.problem());
    }
  }

  /** Only this side knows where the other one is, which is ended in order and started anew. */
  @Test
  void aPeerThatClosedAndWasStartedAnewIsBackWithinTwoSeconds() throws RailException {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp));
    right.connections.getFirst().close(0, net.nowNs);
    assertTrue(run(100 * MS, () -> left.saw(NodeEvent.PeerClosed.class)));
    right.endpoint.close();
    right = side("right", 3);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
    assertTrue(run(2000 * MS, this::isUp), left.events::toString);
    assertEquals(3, left.connections.getLast().peerIncarnation());
    run(5000 * MS, () -> false);
    assertEquals(2, left.connections.size(), "it was asked once");
    assertTrue(isUp());
  }

  /** Whoever is asked anew is not asked once more when the old connection is forgotten. */
  @Test
  void aPeerThatIsClosedHereWhileItIsAskedAnewIsNotAskedAgain() {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp));
    right.connections.getFirst().close(0, net.nowNs);
    net.blackHole(RIGHT, true);
    assertTrue(run(2000 * MS, () -> left.connections.size() == 2), left.events::toString);
    Connection asked = left.connections.getLast();
    assertEquals(Connection.State.CONNECTING, asked.state());
    asked.close(0, net.nowNs);
    net.blackHole(RIGHT, false);
    run(10_000 * MS, () -> false);
    assertEquals(2, left.connections.size());
  }

  /** And not at all if this side closes it in the meantime. */
  @Test
  void aPeerThatClosedAndThatIsClosedHereIsNotAskedAgain() {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp));
    right.connections.getFirst().close(0, net.nowNs);
    assertTrue(run(100 * MS, () -> left.saw(NodeEvent.PeerClosed.class)));
    left.connections.getFirst().close(0, net.nowNs);
    run(10_000 * MS, () -> false);
    assertEquals(1, left.connections.size());
  }

  /** The application's first call decides, and not whether the peer sent something before. */
  @Test
  void eachSideChoosesItsPriorityWhoeverOpensTheChannel() {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp));
    Connection c = left.connections.getFirst();
    ChannelCore channel = c.channel(7, Priority.NORMAL);
    assertEquals(1, channel.offer(MemorySegment.ofArray(new byte[1]), 0, 1));
    boolean unused = left.endpoint.offered(c, channel);
    Connection there = right.connections.getFirst();
    assertTrue(run(1000 * MS, () -> there.existingChannel(7) != null));
    assertEquals(Priority.NORMAL, there.existingChannel(7).priority());
    assertEquals(Priority.HIGH, there.channel(7, Priority.HIGH).priority());
    assertEquals(Priority.HIGH, there.channel(7, Priority.NORMAL).priority());
    assertEquals(Priority.NORMAL, c.channel(7, Priority.HIGH).priority());
  }

  /**
   * By late or forged packets that name a previous connection's ids; only the present ones count.
   */
  @Test
  @Tag("R11")
  void whatIsSaidOfAPreviousConnectionDoesNotEndThePresentOne() throws RailException {
    left.endpoint.connect("right", List.of(new RailAddress(RIGHT)), net.nowNs);
    assertTrue(run(1000 * MS, this::isUp));
    Connection previous = left.connections.getLast();
    long peersId = previous.peerId();
    long ownId = previous.id();
    right.endpoint.close();
    right = side("right", 3);
    right.endpoint.addPort(net.opener(RIGHT), net.nowNs);
    assertTrue(run(10_000 * MS, () -> previous.state().isOver() && isUp()), left.events::toString);
    assertEquals(Connection.State.RESTARTED, previous.state());
    Connection present = left.connections.getLast();
    int events = left.events.size();
    Rogue stray = new Rogue(net, "stray");
    stray.towards(LEFT);
    byte[] m = new byte[1472];
    for (long incarnation : new long[] {2, 3, 99}) {
      stray.sealAndSend(m, Reset.encode(m, 0, 0, peersId, incarnation));
    }
    for (int reason : new int[] {Reject.RESTARTED, Reject.NAME_TAKEN, Reject.CLOSING}) {
      Reject reject = new Reject(ownId, reason, 1, 1, left.endpoint.config.incarnation(), "late");
      stray.sealAndSend(m, reject.encode(m, 0, m.length));
      Reject other = new Reject(present.id(), reason, 1, 1, 99, "about another incarnation");
      stray.sealAndSend(m, other.encode(m, 0, m.length));
    }
    run(2000 * MS, () -> false);
    assertEquals(Connection.State.UP, present.state());
    assertEquals(events, left.events.size(), left.events::toString);
    stray.sealAndSend(m, Reset.encode(m, 0, 0, present.peerId(), 3)); // has forgotten it, it says
    assertTrue(run(10_000 * MS, () -> present.state().isOver() && isUp()), left.events::toString);
    assertEquals(Connection.State.LOST, present.state());
  }
}
