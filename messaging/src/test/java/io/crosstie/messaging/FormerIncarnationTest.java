// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a life of a peer has left stays within reach when the next one is there, and is named. */
@Timeout(120)
final class FormerIncarnationTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");
  private static final int LARGE = 200_000;

  private final List<NodeEvent> events = new ArrayList<>();

  private void until(Node node, String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, () -> what + ": " + events);
      node.idle(node.pollEvents(events::add));
    }
  }

  /** One life of the peer "a", which says good-bye when all is accepted; its incarnation. */
  private long life(Node b, int number) {
    String seed = b.localAddresses().getFirst().text();
    try (Node a = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).build())) {
      Channel first = a.peer("b").channel(1);
      for (int i = 1; i <= 3; i++) {
        long sequence = first.offer(new byte[i == 2 ? LARGE : number]);
        assertEquals(i, sequence);
      }
      Channel second = a.peer("b").channel(7);
      assertEquals(1, second.offer(new byte[number]));
      until(b, "accepted", () -> first.acceptedSequence() == 3 && second.acceptedSequence() == 1);
      a.close(Duration.ofSeconds(20));
      return a.incarnation();
    }
  }

  private static List<String> poll(Channel channel) {
    List<String> got = new ArrayList<>();
    int unused =
        channel.poll(
            (m, o, length, sequence) -> {
              got.add(channel.number() + ":" + sequence + ":" + length);
              return Channel.CONTINUE;
            },
            100);
    return got;
  }

  private List<NodeEvent> left() {
    return events.stream().filter(NodeEvent.FormerMessages.class::isInstance).toList();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatLivesThatEndedInOrderHaveSentIsNamedAndDelivered(boolean caller) {
    try (Node b = Node.start(TwoNodes.config("b", UDP, caller).peer("a").build())) {
      Channel early = b.peer("a").channel(1); // of the first life, as it turns out
      List<NodeEvent> expected = new ArrayList<>();
      List<String> messages = new ArrayList<>();
      List<Long> lives = new ArrayList<>();
      for (int number = 1; number <= 3; number++) {
        lives.add(life(b, number));
        expected.add(
            new NodeEvent.FormerMessages(
                "a",
                lives.getLast(),
                List.of(new NodeEvent.Unpolled(1, 1, 3), new NodeEvent.Unpolled(7, 1, 1))));
        messages.addAll(List.of("1:1:" + number, "1:2:" + LARGE, "1:3:" + number, "7:1:" + number));
      }
      assertEquals(List.of("1:1:1", "1:2:" + LARGE, "1:3:1"), poll(early));
      messages.subList(0, 3).clear();
      String seed = b.localAddresses().getFirst().text();
      try (Node a = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).build())) {
        assertEquals(1, a.peer("b").channel(1).offer(new byte[4]));
        Peer peer = b.peer("a");
        until(b, "the next life", () -> peer.isUp() && peer.incarnation() == a.incarnation());
        until(b, "all named", () -> left().size() == 3);
        assertEquals(expected, left());
        List<Channel> former = peer.formerChannels();
        assertEquals(
            List.of(lives.get(0), lives.get(1), lives.get(1), lives.get(2), lives.get(2)),
            former.stream().map(Channel::incarnation).toList());
        List<String> got = new ArrayList<>();
        for (Channel channel : former) {
          assertTrue(channel.isOver());
          got.addAll(poll(channel));
        }
        assertEquals(messages, got);
        assertEquals(List.of(), peer.formerChannels());
        until(b, "the present one", () -> peer.channel(1).unpolled() == 1);
        assertEquals(List.of("1:1:4"), poll(peer.channel(1)));
        until(b, "freed", () -> b.counters().get(EndpointCounter.POOL_BYTES) == 0);
      }
    }
  }

  @Test
  void whatNobodyWantsIsFreedOnPurpose() {
    try (Node b = Node.start(TwoNodes.config("b", UDP, false).peer("a").build())) {
      long unused = life(b, 1);
      assertEquals(3, b.peer("a").channel(1).unpolled(), "there is no next life yet");
      unused = life(b, 2);
      Peer peer = b.peer("a");
      until(b, "named", () -> left().size() == 1);
      assertTrue(b.counters().get(EndpointCounter.POOL_BYTES) >= 2 * LARGE);
      peer.formerChannels().forEach(channel -> assertTrue(channel.discard() > 0));
      assertEquals(List.of(), peer.formerChannels());
      assertEquals(3, peer.channel(1).discard());
      until(b, "freed", () -> b.counters().get(EndpointCounter.POOL_BYTES) == 0);
    }
  }

  /** The application holds no channel, but lent memory, and waits for its completion. */
  @Test
  void completionsOfAFormerLifeStayWithinReach() {
    try (Arena arena = Arena.ofShared();
        Node b = Node.start(TwoNodes.config("b", UDP, false).peer("a").build())) {
      String seed = b.localAddresses().getFirst().text();
      Node a = Node.start(TwoNodes.config("a", UDP, true).peer("b", seed).build());
      List<String> told = new ArrayList<>();
      try {
        Peer peer = b.peer("a");
        until(
            b,
            "up",
            () -> {
              int unused = a.doWork();
              return peer.isUp();
            });
        long taken =
            peer.channel(2)
                .send(
                    arena.allocate(ValueLayout.JAVA_LONG),
                    0,
                    8,
                    completion -> told.add(completion.toString()));
        assertEquals(1, taken); // and that life stands still for ever
        try (Node next = Node.start(TwoNodes.config("a", UDP, false).peer("b", seed).build())) {
          until(b, "the next life", () -> peer.isUp() && peer.incarnation() == next.incarnation());
          assertEquals(List.of(), left(), "no message");
          List<Channel> former = peer.formerChannels();
          assertEquals(1, former.size());
          assertEquals(1, former.getFirst().poll((m, o, l, s) -> Channel.CONTINUE, 10));
          assertEquals(List.of("1 PEER_RESTARTED"), told);
          assertEquals(List.of(), peer.formerChannels());
        }
      } finally {
        a.close(Duration.ZERO);
      }
    }
  }
}
