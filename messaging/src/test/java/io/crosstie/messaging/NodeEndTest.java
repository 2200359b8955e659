// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an application is told at the end of channels, peers and nodes. */
@Timeout(120)
final class NodeEndTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");

  private static List<NodeEvent.Unknown> unknown(Node node, String peer) {
    List<NodeEvent.Unknown> all = new ArrayList<>();
    int unused =
        node.pollEvents(
            event -> {
              if (event instanceof NodeEvent.PeerLost lost && lost.peer().equals(peer)) {
                all.addAll(lost.unknown());
              }
            });
    return all;
  }

  /** A peer that stands still, and one that was never there. */
  @Test
  void closingAPeerNamesWhatIsUnknown() {
    Node b = Node.start(TwoNodes.config("b", UDP, true).build());
    NodeConfigBuilder config = TwoNodes.config("a", UDP, false);
    config.peer("b", b.localAddresses().getFirst().text()).peer("never", "udp://127.0.0.1:9");
    try (Node a = Node.start(config.build())) {
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (!a.peer("b").isUp()) {
        assertTrue(System.nanoTime() < end, "not up");
        b.idle();
      }
      for (String peer : List.of("b", "never")) {
        Channel channel = a.peer(peer).channel(1);
        for (int i = 1; i <= 5; i++) {
          assertEquals(i, channel.offer(new byte[100]));
        }
        long accepted = channel.acceptedSequence();
        a.peer(peer).close(Duration.ofMillis(20));
        List<NodeEvent.Unknown> named = new ArrayList<>();
        while (named.isEmpty()) {
          assertTrue(System.nanoTime() < end, "nothing is named of " + peer);
          named.addAll(unknown(a, peer));
          a.idle();
        }
        assertEquals(List.of(new NodeEvent.Unknown(1, accepted + 1, 5)), named, peer);
        assertEquals(Channel.CLOSED, channel.status());
        assertTrue(channel.isOver());
      }
    } finally {
      b.close(Duration.ZERO);
    }
  }

  /** After a close by this side the peer may connect again. */
  @Test
  void aPeerThatCameBackAfterACloseIsUp() {
    try (Node a = Node.start(TwoNodes.config("a", UDP, false).build())) {
      String seed = a.localAddresses().getFirst().text();
      Node b = Node.start(TwoNodes.config("b", UDP, false).peer("a", seed).build());
      b.peer("a").awaitUp(TwoNodes.PATIENCE);
      Peer peer = a.peer("b");
      peer.awaitUp(TwoNodes.PATIENCE);
      peer.close(Duration.ofSeconds(5));
      assertFalse(peer.isUp());
      var e = assertThrows(CrosstieException.class, () -> peer.awaitUp(Duration.ofMillis(1)));
      assertTrue(e.getMessage().contains("was closed by this node"), e::getMessage);
      b.close(Duration.ZERO);
      try (Node again = Node.start(TwoNodes.config("b", UDP, false).peer("a", seed).build())) {
        again.peer("a").awaitUp(TwoNodes.PATIENCE);
        long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
        while (!peer.isUp()) {
          assertTrue(System.nanoTime() < end, "not up");
          a.idle();
        }
        peer.awaitUp(Duration.ofMillis(1));
      }
    }
  }

  /** Each completion is told once: those of accepted messages so, the others with the reason. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void completionsAreToldAfterTheNodeWasClosed(boolean caller) {
    try (Arena arena = Arena.ofShared();
        var nodes = new TwoNodes(UDP, caller)) {
      nodes.up();
      MemorySegment memory = arena.allocate(1000);
      Channel channel = nodes.aToB().channel(1);
      List<String> told = new ArrayList<>();
      assertEquals(1, channel.send(memory, 0, 1000, completion -> told.add(completion.toString())));
      nodes.until("accepted", () -> channel.acceptedSequence() == 1);
      nodes.b.close(Duration.ZERO);
      long second = channel.send(memory, 0, 10, completion -> told.add(completion.toString()));
      nodes.a.close(Duration.ZERO);
      assertEquals(Channel.CLOSED, channel.send(memory, 0, 1, completion -> {}));
      assertEquals(1, channel.poll((m, o, l, q) -> Channel.CONTINUE, 1));
      int more = channel.poll((m, o, l, q) -> Channel.CONTINUE, 10);
      assertEquals(0, channel.poll((m, o, l, q) -> Channel.CONTINUE, 10));
      assertEquals("1 accepted", told.getFirst());
      assertEquals(second > 0 ? 1 : 0, more);
      assertEquals(1 + more, told.size(), told::toString);
      if (more > 0) {
        assertEquals("2 CLOSED", told.get(1));
        assertEquals(List.of(new NodeEvent.Unknown(1, 2, 2)), unknown(nodes.a, "b"));
      }
    }
  }

  /** A half-close before the first connection holds for it. */
  @Test
  void aChannelThatWasClosedBeforeThereIsAConnection() {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).peer("a").build())) {
      Channel early = b.peer("a").channel(5);
      assertEquals(0, early.status());
      early.close();
      assertEquals(Channel.CLOSED, early.status());
      assertEquals(Channel.CLOSED, early.offer(new byte[1]));
      String seed = b.localAddresses().getFirst().text();
      try (Node a = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).build())) {
        Channel there = a.peer("b").channel(5);
        a.peer("b").awaitUp(TwoNodes.PATIENCE);
        long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
        while (!there.isPeerFinished()) {
          assertTrue(System.nanoTime() < end, "the end was lost");
          a.idle();
        }
        assertEquals(Channel.CLOSED, early.offer(new byte[1]));
        assertFalse(early.isOver());
        assertTrue(there.offer(new byte[1]) > 0);
        while (early.poll((m, o, l, q) -> Channel.CONTINUE, 1) == 0) {
          assertTrue(System.nanoTime() < end, "it does not receive");
          b.idle();
        }
      }
    }
  }

  /** All that the peer has opened, though nobody has polled events. */
  @Test
  void aPeerListsItsChannels() {
    int many = 1500;
    try (var nodes = new TwoNodes(UDP, false, config -> config.maxChannels(2 * many))) {
      nodes.up();
      Channel own = nodes.bToA().channel(many + 1, Priority.HIGH);
      for (int i = 0; i < many; i++) {
        Channel last = nodes.aToB().channel(i);
        assertEquals(1, last.offer(new byte[1]));
      }
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (nodes.bToA().channels().size() < many + 1) {
        assertTrue(System.nanoTime() < end, "missing");
        nodes.a.idle();
      }
      List<Channel> all = nodes.bToA().channels();
      for (int i = 0; i < many; i++) {
        assertEquals(i, all.get(i).number());
        assertSame(all.get(i), nodes.bToA().channel(i));
      }
      assertSame(own, all.getLast());
      assertArrayEquals(new byte[1], nodes.receive(all.getFirst()));
      long incarnation = nodes.a.incarnation();
      nodes.until("all", () -> opened(nodes.eventsOfB).size() == many);
      assertEquals(
          IntStream.range(0, many)
              .mapToObj(i -> new NodeEvent.ChannelOpenedByPeer("a", i, incarnation))
              .collect(Collectors.toSet()),
          opened(nodes.eventsOfB));
    }
  }

  private static Set<NodeEvent> opened(List<NodeEvent> events) {
    return events.stream()
        .filter(NodeEvent.ChannelOpenedByPeer.class::isInstance)
        .collect(Collectors.toSet());
  }

  /** The engine hears of a message that was passed over, as of one that was consumed. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMessageThatWasGivenUpIsConsumedWhenItIsPassedOver(boolean caller) {
    try (var nodes = new TwoNodes(UDP, caller)) {
      nodes.up();
      Channel there = nodes.aToB().channel(1);
      Channel back = nodes.bToA().channel(1);
      nodes.offer(there, new byte[1]);
      assertEquals(1, nodes.receive(back).length);
      nodes.until("consumed", () -> there.consumedSequence() == 1);
      for (int i = 0; i < 20; i++) {
        Arena arena = Arena.ofShared();
        MemorySegment lent = arena.allocate(4_000_000);
        long sequence = there.send(lent, 0, lent.byteSize(), completion -> {});
        assertTrue(sequence > 0);
        closeOnceItMay(arena);
        nodes.until("passed over", () -> back.receivedSequence() == sequence);
        nodes.until("told", () -> there.acceptedSequence() == sequence);
        int messages = back.poll((m, o, l, q) -> Channel.CONTINUE, 10);
        nodes.until("consumed, " + messages, () -> there.consumedSequence() == sequence);
        nodes.until("completed", () -> there.poll((m, o, l, q) -> Channel.CONTINUE, 1) > 0);
      }
    }
  }

  /** The engine may be in the middle of a call. */
  private static void closeOnceItMay(Arena arena) {
    while (arena.scope().isAlive()) {
      try {
        arena.close();
      } catch (IllegalStateException e) {
        Thread.onSpinWait();
      }
    }
  }

  @Test
  void aChannelThatWasClosedHereSaysSo() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      assertTrue(nodes.offer(channel, new byte[1]) > 0);
      assertEquals(0, channel.status());
      channel.close();
      assertEquals(Channel.CLOSED, channel.status());
      assertFalse(channel.isOver(), "it still receives");
      nodes.b.close(Duration.ofSeconds(5));
      nodes.until("over", channel::isOver);
    }
  }

  /** Whoever closes a node may rely on its end, also if another thread was first. */
  @Test
  void aSecondCloseWaitsForTheFirst() throws Exception {
    Node b = Node.start(TwoNodes.config("b", UDP, true).build());
    String seed = b.localAddresses().getFirst().text();
    Node a = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).build());
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (!a.peer("b").isUp()) {
      assertTrue(System.nanoTime() < end, "not up");
      b.idle();
    }
    Channel channel = a.peer("b").channel(1);
    assertEquals(1, channel.offer(new byte[1])); // which b, that stands still, does not take
    Thread first = Thread.ofPlatform().start(() -> a.close(Duration.ofMillis(500)));
    while (a.isOpen()) {
      Thread.onSpinWait();
    }
    a.close(TwoNodes.PATIENCE);
    assertTrue(a.engine().isStopped());
    first.join();
    b.close(Duration.ZERO);
  }

  /** The engine says its last words to a peer, and takes in what comes meanwhile. */
  @Test
  void aRegionIsClosedOnlyWhenTheEngineHasEnded() throws Exception {
    var nodeOfA = new AtomicReference<Node>();
    var ending = new CountDownLatch(1);
    var goOn = new CountDownLatch(1);
    EventTap tap =
        (name, event) -> {
          Node node = nodeOfA.get();
          if (node != null && node.engine().isStopped()) {
            ending.countDown();
            awaitLatch(goOn);
          }
        };
    try (Arena arena = Arena.ofShared();
        Node b = Node.start(TwoNodes.config("b", UDP, true).build())) {
      String seed = b.localAddresses().getFirst().text();
      Node a = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).eventTap(tap).build());
      long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
      while (!a.peer("b").isUp()) {
        assertTrue(System.nanoTime() < end, "not up");
        b.idle();
      }
      Region region = a.export(arena.allocate(64, 8), Set.of(Region.Right.PUT));
      assertEquals(1, a.peer("b").channel(1).offer(new byte[1])); // b takes nothing any more
      nodeOfA.set(a);
      Thread stops = Thread.ofPlatform().start(() -> a.engine().stop(TwoNodes.PATIENCE));
      awaitLatch(ending);
      assertTrue(a.engine().isStopped());
      Thread closes = Thread.ofPlatform().start(region::close);
      while (closes.getState() != Thread.State.TIMED_WAITING) {
        assertTrue(closes.isAlive(), "it was closed beside the engine");
        Thread.onSpinWait();
      }
      goOn.countDown();
      closes.join();
      assertFalse(region.isOpen());
      stops.join();
      a.close(Duration.ZERO);
    } finally {
      goOn.countDown();
    }
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      assertTrue(latch.await(60, TimeUnit.SECONDS));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /**
   * The caller's thread computes while the JVM ends, and then sends: its rails go under no call.
   */
  @Test
  void theCallersNextCallOfAnyKindStopsItsNodeAtExit() throws Exception {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      assertEquals(1, nodes.offer(channel, new byte[1]));
      Thread exit = Thread.ofPlatform().start(() -> nodes.a.engine().stopAtExit(TwoNodes.PATIENCE));
      while (exit.getState() != Thread.State.TIMED_WAITING) {
        Thread.onSpinWait();
      }
      assertEquals(Channel.CLOSED, channel.offer(new byte[1]));
      assertTrue(nodes.a.engine().isStopped());
      exit.join();
    }
  }
}
