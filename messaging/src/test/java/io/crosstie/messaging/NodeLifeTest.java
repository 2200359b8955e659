// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Peers that come, go, and come again; nodes that start, fail and end. */
@Timeout(120)
@Isolated // it looks at all threads
final class NodeLifeTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");

  /** Bad input: a peer that is not there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void peerThatIsNotThere(boolean caller) {
    NodeConfigBuilder config = TwoNodes.config("a", UDP, caller).peer("b", "udp://127.0.0.1:9");
    try (Node node = Node.start(config.build())) {
      Peer peer = node.peer("b");
      var e =
          assertThrows(CrosstieTimeoutException.class, () -> peer.awaitUp(Duration.ofSeconds(2)));
      for (String part :
          List.of(
              "peer b is not up after 2 s",
              "udp://127.0.0.1:0 (open at udp://127.0.0.1:",
              "Seeds tried: [udp://127.0.0.1:9]",
              "Last problem",
              "Next:")) {
        assertTrue(e.getMessage().contains(part), () -> part + " is missing in: " + e.getMessage());
      }
      assertFalse(peer.isUp());
      Channel channel = peer.channel(1);
      long result = 1;
      for (int i = 0; i < 1_000_000 && result > 0; i++) {
        result = channel.offer(new byte[1000]);
      }
      assertEquals(Channel.CONNECTING, result);
    }
  }

  @Test
  void peerThatNobodyKnows() {
    try (Node node = Node.start(TwoNodes.config("a", UDP, false).peer("b").build())) {
      var e = assertThrows(CrosstieException.class, () -> node.peer("c"));
      assertTrue(e.getMessage().contains("known are [b]"), e::getMessage);
      Channel early = node.peer("b").channel(3);
      assertEquals(Channel.CONNECTING, early.offer(new byte[1]));
      assertEquals(0, early.status());
      assertEquals(0, early.poll((s, o, l, q) -> Channel.CONTINUE, 1));
      assertThrows(CrosstieException.class, () -> node.peer("b").channel(-1));
    }
  }

  /** A peer without a seed connects, and the channel that waited for it works. */
  @Test
  void peerThatWasExpectedConnects() {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).peer("a").build())) {
      Channel early = b.peer("a").channel(5);
      NodeConfigBuilder config = TwoNodes.config("a", UDP, false);
      b.localAddresses().forEach(address -> config.peer("b", address.text()));
      try (Node a = Node.start(config.build())) {
        b.peer("a").awaitUp(TwoNodes.PATIENCE);
        long sequence = early.offer(new byte[] {7});
        early.awaitAccepted(sequence, TwoNodes.PATIENCE);
        assertSame(early, b.peer("a").channel(5));
        assertEquals(1, a.peer("b").channel(5).receivedSequence());
      }
    }
  }

  /** A running node is told of a peer. */
  @Test
  void peerThatIsAddedLater() {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).build());
        Node a = Node.start(TwoNodes.config("a", UDP, false).build())) {
      String[] seeds = b.localAddresses().stream().map(NodeAddress::text).toArray(String[]::new);
      Peer peer = a.addPeer("b", seeds);
      peer.awaitUp(TwoNodes.PATIENCE);
      long sequence = peer.channel(5).offer(new byte[] {7});
      peer.channel(5).awaitAccepted(sequence, TwoNodes.PATIENCE);
      assertEquals(1, b.peer("a").channel(5).receivedSequence());
      assertSame(peer, a.addPeer("b", seeds));
      assertSame(b.peer("a"), b.addPeer("a", "udp://127.0.0.1:9")); // it is connected already
      assertTrue(b.peer("a").isUp());
      for (String[] wrong : new String[][] {{"a", seeds[0]}, {"c"}, {"c", "tcp:x"}, {"", "x"}}) {
        String[] of = java.util.Arrays.copyOfRange(wrong, 1, wrong.length);
        assertThrows(CrosstieException.class, () -> a.addPeer(wrong[0], of), wrong[0]);
      }
    }
  }

  @Test
  void strangersCanBeKeptOut() {
    Node b = Node.start(TwoNodes.config("b", UDP, false).acceptUnknownPeers(false).build());
    NodeConfigBuilder config = TwoNodes.config("a", UDP, false);
    b.localAddresses().forEach(address -> config.peer("b", address.text()));
    try (b;
        Node a = Node.start(config.build())) {
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (b.engineCounters().get(NodeCounter.PEERS_REFUSED) == 0) {
        assertTrue(System.nanoTime() < end, "nobody was refused");
        b.idle();
      }
      assertTrue(b.peers().isEmpty());
      assertEquals(0, b.counters().get(EndpointCounter.HANDSHAKES_IN), "no cookie for a stranger");
      assertEquals(0, b.counters().get(EndpointCounter.CONNECTIONS));
      CrosstieException e =
          assertThrows(CrosstieException.class, () -> a.peer("b").awaitUp(TwoNodes.PATIENCE));
      assertTrue(e.getMessage().contains("only peers that are configured"), e::getMessage);
      List<NodeEvent> events = new ArrayList<>();
      b.pollEvents(events::add);
      events.removeIf(event -> event instanceof NodeEvent.SelfPaused); // the machine's doing
      assertEquals(List.of(), events);
      assertTrue(a.name().equals("a"));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void closeInGoodOrder(boolean caller) {
    try (var nodes = new TwoNodes(UDP, caller)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      long sequence = nodes.offer(there, new byte[] {1});
      if (!caller) {
        nodes.a.close(Duration.ofSeconds(5)); // drains first
        assertTrue(there.acceptedSequence() >= sequence);
      } else {
        nodes.until("accepted", () -> there.acceptedSequence() >= sequence);
        nodes.a.close(Duration.ZERO);
      }
      assertEquals(Channel.CLOSED, there.offer(new byte[] {2}));
      assertEquals(Channel.CLOSED, there.status());
      assertEquals(0, there.poll((s, o, l, q) -> Channel.CONTINUE, 1));
      assertThrows(CrosstieException.class, () -> nodes.a.addRail("udp://127.0.0.1:0"));
      Channel back = nodes.bToA().channel(1);
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (!nodes.eventsOfB.contains(new NodeEvent.PeerClosed("a"))) {
        assertTrue(System.nanoTime() < end, nodes.eventsOfB::toString);
        nodes.b.idle(nodes.b.pollEvents(nodes.eventsOfB::add));
      }
      byte[][] got = new byte[1][];
      int count =
          back.poll(
              (segment, offset, length, seq) -> {
                got[0] = TwoNodes.bytes(segment, offset, length);
                return Channel.CONTINUE;
              },
              10);
      assertEquals(1, count, "what was accepted can be polled after the peer has gone");
      assertArrayEquals(new byte[] {1}, got[0]);
      assertEquals(Channel.CLOSED, back.offer(new byte[] {3}));
      nodes.a.close();
    }
  }

  @Test
  void halfCloseLetsTheOtherWayGoOn() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      Channel back = nodes.bToA().channel(1);
      assertTrue(nodes.offer(there, new byte[] {1}) > 0);
      there.close();
      there.close();
      assertEquals(Channel.CLOSED, there.offer(new byte[] {2}));
      assertArrayEquals(new byte[] {1}, nodes.receive(back));
      nodes.until("end", back::isPeerFinished);
      assertTrue(nodes.offer(back, new byte[] {3}) > 0);
      assertArrayEquals(new byte[] {3}, nodes.receive(there));
      assertFalse(there.isPeerFinished());
    }
  }

  /**
   * Bad input: a peer that is killed and started anew; old channels say so for ever, new ones work.
   */
  @Test
  void restartedPeer() {
    Node a = Node.start(TwoNodes.config("a", UDP, false).build());
    String seed = a.localAddresses().getFirst().text();
    Node b = Node.start(TwoNodes.config("b", UDP, true).peer("a", seed).build());
    try (a) {
      b.peer("a").awaitUp(TwoNodes.PATIENCE);
      Peer peer = a.peer("b");
      peer.awaitUp(TwoNodes.PATIENCE);
      Channel old = peer.channel(1);
      assertEquals(b.incarnation(), peer.incarnation());
      assertTrue(old.offer(new byte[1]) > 0);
      assertTrue(old.offer(new byte[1]) > 0); // which b will never see, since nobody drives it
      try (Node again = Node.start(TwoNodes.config("b", UDP, false).peer("a", seed).build())) {
        NodeEvent restart =
            awaitEvent(a, event -> event instanceof NodeEvent.PeerRestarted, "restart");
        assertEquals(
            new NodeEvent.PeerRestarted(
                "b", b.incarnation(), again.incarnation(), List.of(new NodeEvent.Unknown(1, 1, 2))),
            restart);
        peer.awaitUp(TwoNodes.PATIENCE);
        assertEquals(again.incarnation(), peer.incarnation());
        assertEquals(Channel.PEER_RESTARTED, old.offer(new byte[1]));
        var e =
            assertThrows(CrosstieException.class, () -> old.awaitAccepted(2, TwoNodes.PATIENCE));
        assertTrue(e.getMessage().contains("is unknown"), e::getMessage);
        Channel fresh = peer.channel(1);
        assertNotSame(old, fresh);
        long sequence = fresh.offer(new byte[] {9});
        assertEquals(1, sequence);
        fresh.awaitAccepted(sequence, TwoNodes.PATIENCE);
        assertEquals(Channel.PEER_RESTARTED, old.offer(new byte[1]));
        assertEquals(Channel.PEER_RESTARTED, old.status());
      }
    } finally {
      b.close(Duration.ZERO);
    }
  }

  /** Bad input: a peer that falls silent on all rails for the peer time-out. */
  @Test
  void lostPeer() {
    NodeConfigBuilder config = TwoNodes.config("a", UDP, false);
    // Longer than anybody waits for a processor: it is not lost before the message is offered.
    Node a = Node.start(config.peerTimeout(Duration.ofSeconds(2)).build());
    String seed = a.localAddresses().getFirst().text();
    Node b = Node.start(TwoNodes.config("b", UDP, true).peer("a", seed).build());
    try (a) {
      b.peer("a").awaitUp(TwoNodes.PATIENCE);
      Peer peer = a.peer("b");
      peer.awaitUp(TwoNodes.PATIENCE);
      Channel channel = peer.channel(1);
      assertTrue(channel.offer(new byte[1]) > 0);
      var lost =
          (NodeEvent.PeerLost) awaitEvent(a, event -> event instanceof NodeEvent.PeerLost, "loss");
      assertEquals(List.of(new NodeEvent.Unknown(1, 1, 1)), lost.unknown());
      assertEquals(Channel.PEER_LOST, channel.offer(new byte[1]));
      assertEquals(Channel.PEER_LOST, channel.status());
    } finally {
      b.close(Duration.ZERO);
    }
  }

  private static NodeEvent awaitEvent(Node node, Predicate<NodeEvent> wanted, String what) {
    List<NodeEvent> seen = new ArrayList<>();
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (true) {
      node.idle(node.pollEvents(seen::add));
      for (NodeEvent event : seen) {
        if (wanted.test(event)) {
          return event;
        }
      }
      assertTrue(System.nanoTime() < end, () -> "no " + what + " among " + seen);
    }
  }

  /** Bad input: port taken. */
  @Test
  void portTaken() {
    try (Node first = Node.start(TwoNodes.config("a", UDP, false).build())) {
      String taken = first.localAddresses().getFirst().text();
      NodeConfig config = TwoNodes.config("b", List.of(taken), false).build();
      var e = assertThrows(CrosstieException.class, () -> Node.start(config));
      assertTrue(e.getMessage().contains(taken), e::getMessage);
      assertTrue(e.getMessage().contains("of node b"), e::getMessage);
    }
  }

  /** Bad input: an address that does not exist here; what was opened before is closed again. */
  @Test
  void addressThatDoesNotExist() {
    Node probe = Node.start(TwoNodes.config("p", UDP, false).build());
    String free = probe.localAddresses().getFirst().text();
    probe.close(Duration.ZERO);
    NodeConfig config = TwoNodes.config("b", List.of(free, "udp://198.18.77.77:0"), false).build();
    var e = assertThrows(CrosstieException.class, () -> Node.start(config));
    assertTrue(e.getMessage().contains("198.18.77.77"), e::getMessage);
    try (Node again = Node.start(TwoNodes.config("b", List.of(free), false).build())) {
      assertEquals(free, again.localAddresses().getFirst().text());
    }
  }

  /** Bad input: shared memory that cannot be had is told, and the next rail is taken. */
  @Test
  void sharedMemoryThatCannotBeHad(@TempDir Path directory) throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    List<String> rails = List.of("shm:" + file.resolve("none"), "udp://127.0.0.1:0");
    try (Node node = Node.start(TwoNodes.config("a", rails, false).build())) {
      assertEquals(1, node.localAddresses().size());
      List<NodeEvent.PortChanged> ports = new ArrayList<>();
      int unused =
          node.pollEvents(
              event -> {
                if (event instanceof NodeEvent.PortChanged port) { // the machine may pause, too
                  ports.add(port);
                }
              });
      assertEquals(1, ports.size());
      assertFalse(ports.getFirst().open());
      assertEquals(rails.getFirst(), ports.getFirst().port());
    }
    NodeConfig only = TwoNodes.config("a", rails.subList(0, 1), false).build();
    var e = assertThrows(CrosstieException.class, () -> Node.start(only));
    assertTrue(e.getMessage().contains("has no rail"), e::getMessage);
  }

  @Test
  void closeLeavesNothing(@TempDir Path directory) throws IOException {
    List<String> rails = List.of("shm:" + directory, "udp://127.0.0.1:0");
    try (var nodes = new TwoNodes(rails, false)) {
      nodes.up();
    }
    try (Stream<Path> left = Files.list(directory)) {
      assertEquals(List.of(), left.toList());
    }
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().matches("crosstie-[ab]")),
        "threads");
  }

  @Test
  void defaultRailsReachTheSameHost() {
    try (var nodes = new TwoNodes(List.of(), false)) {
      nodes.up();
      assertTrue(nodes.a.localAddresses().size() >= 2, () -> nodes.a.toString());
    }
  }

  @Test
  void railsComeAndGo() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      int added = nodes.a.addRail("udp://127.0.0.2:0?weight=2");
      assertEquals(2, nodes.a.ports().size());
      nodes.until("a second rail", () -> nodes.aToB().rails().size() >= 2);
      nodes.a.removeRail("udp://127.0.0.2:0?weight=2");
      assertEquals(1, nodes.a.ports().size());
      assertThrows(CrosstieException.class, () -> nodes.a.removeRail(added));
      assertThrows(CrosstieException.class, () -> nodes.a.removeRail("udp://127.0.0.2:0"));
      var e = assertThrows(CrosstieException.class, () -> nodes.a.addRail("udp://127.0.0.1:0?x=1"));
      assertTrue(e.getMessage().contains("unknown option \"x\""), e::getMessage);
      assertTrue(nodes.offer(nodes.aToB().channel(1), new byte[] {1}) > 0);
      assertArrayEquals(new byte[] {1}, nodes.receive(nodes.bToA().channel(1)));
    }
  }

  @Test
  void onlyCallersDoWork() {
    try (Node node = Node.start(TwoNodes.config("a", UDP, false).build())) {
      var e = assertThrows(IllegalStateException.class, node::doWork);
      assertTrue(e.getMessage().contains("Progress.caller()"), e::getMessage);
    }
    try (Node node = Node.start(TwoNodes.config("a", UDP, true).build())) {
      assertTrue(node.doWork() >= 0);
    }
  }
}
