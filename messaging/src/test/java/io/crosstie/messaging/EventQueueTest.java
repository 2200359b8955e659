// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.crosstie.transport.Counters;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Nobody polls: the queue stays bounded, and what tells of messages of unknown fate is kept. */
final class EventQueueTest {
  private final Counters<NodeCounter> counters = new Counters<>(NodeCounter.class);
  private final EventQueue queue = new EventQueue(counters, "", List.of());

  private static NodeEvent news(int number) {
    return new NodeEvent.SelfPaused("", number);
  }

  private static NodeEvent life(int number) {
    return new NodeEvent.PeerUp("b", number, 1);
  }

  private static NodeEvent loss(int number) {
    return new NodeEvent.PeerLost("b", "silent", List.of(new NodeEvent.Unknown(1, number, number)));
  }

  private List<NodeEvent> drain() {
    List<NodeEvent> all = new ArrayList<>();
    for (NodeEvent event = queue.poll(); event != null; event = queue.poll()) {
      all.add(event);
    }
    return all;
  }

  @Test
  void keepsOrder() {
    List<NodeEvent> sent = List.of(news(1), life(2), loss(3), news(4));
    sent.forEach(queue::add);
    assertEquals(4, queue.size());
    assertEquals(sent, drain());
    assertEquals(0, queue.size());
    assertNull(queue.poll());
  }

  @Test
  void dropsOldestNewsAndCounts() {
    queue.add(loss(0));
    queue.add(life(0));
    for (int i = 0; i < EventQueue.MAX_NEWS + 3; i++) {
      queue.add(news(i));
    }
    assertEquals(3, counters.get(NodeCounter.EVENTS_DROPPED));
    List<NodeEvent> left = drain();
    assertEquals(EventQueue.MAX_NEWS + 2, left.size());
    assertEquals(List.of(loss(0), life(0), news(3)), left.subList(0, 3));
  }

  @Test
  void neverDropsUnknownMessages() {
    int many = EventQueue.MAX_PEER + 100;
    for (int i = 0; i < many; i++) {
      queue.add(loss(i));
      queue.add(life(i));
    }
    List<NodeEvent> left = drain();
    assertEquals(many, left.stream().filter(NodeEvent.PeerLost.class::isInstance).count());
    assertEquals(many + EventQueue.MAX_PEER, left.size());
    assertEquals(100, counters.get(NodeCounter.EVENTS_DROPPED));
  }

  @Test
  void messagesThatFailedAreBounded() {
    queue.add(loss(0));
    for (int i = 0; i < EventQueue.MAX_FAILED + 7; i++) {
      queue.add(new NodeEvent.MessageFailed("b", 1, i, "too long"));
    }
    assertEquals(7, counters.get(NodeCounter.EVENTS_DROPPED));
    List<NodeEvent> left = drain();
    assertEquals(EventQueue.MAX_FAILED + 1, left.size());
    assertEquals(
        List.of(loss(0), new NodeEvent.MessageFailed("b", 1, 7, "too long")), left.subList(0, 2));
    queue.add(new NodeEvent.MessageFailed("b", 1, 1, "too long"));
    assertEquals(1, drain().size());
  }

  private static NodeEvent opened(String peer, int channel) {
    return new NodeEvent.ChannelOpenedByPeer(peer, channel, 1);
  }

  @Test
  void neverDropsAChannelOfAPeerThatLives() {
    int many = 2 * EventQueue.MAX_NEWS;
    List<NodeEvent> all = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      all.add(opened("b", i));
      all.add(opened("c", i));
    }
    all.forEach(queue::add);
    for (int i = 0; i < many; i++) {
      queue.add(news(i));
    }
    assertEquals(many - EventQueue.MAX_NEWS, counters.get(NodeCounter.EVENTS_DROPPED));
    List<NodeEvent> left = drain();
    assertEquals(all, left.subList(0, 2 * many));
    assertEquals(2 * many + EventQueue.MAX_NEWS, left.size());
  }

  /** Channels that come and go while nobody polls; each has the number of one that went. */
  @Test
  void channelsThatAreOverAreBounded() {
    NodeEvent stays = opened("b", 7);
    queue.add(stays);
    int many = 10 * EventQueue.MAX_NEWS;
    for (int i = 0; i < many; i++) {
      queue.add(opened("b", 1));
      queue.onChannelFreed("c", 1);
      queue.onChannelFreed("b", 2);
      queue.onChannelFreed("b", 1);
    }
    queue.add(opened("b", 1));
    List<NodeEvent> left = drain();
    assertEquals(EventQueue.MAX_NEWS + 2, left.size());
    assertEquals(stays, left.getFirst());
    assertEquals(many - EventQueue.MAX_NEWS, counters.get(NodeCounter.EVENTS_DROPPED));
  }

  /** A peer that comes again and again while nobody polls. */
  @Test
  void channelsOfFormerLivesAreBounded() {
    for (int life = 0; life < 20; life++) {
      for (int i = 0; i < EventQueue.MAX_NEWS; i++) {
        queue.add(opened("b", i));
      }
      queue.add(opened("c", life));
      queue.add(new NodeEvent.PeerClosed("b"));
    }
    List<NodeEvent> left = drain();
    assertEquals(20, left.stream().filter(NodeEvent.PeerClosed.class::isInstance).count());
    assertEquals(20, left.stream().filter(e -> e.peer().equals("c")).count());
    assertEquals(20 + 20 + EventQueue.MAX_NEWS, left.size());
    assertEquals(19L * EventQueue.MAX_NEWS, counters.get(NodeCounter.EVENTS_DROPPED));
    for (int i = 0; i < EventQueue.MAX_NEWS; i++) {
      queue.add(news(i));
    }
    assertEquals(EventQueue.MAX_NEWS, drain().size());
  }

  @Test
  void hasRoomAgainAfterPolling() {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < EventQueue.MAX_NEWS; i++) {
        queue.add(news(i));
      }
      assertEquals(EventQueue.MAX_NEWS, drain().size());
    }
    assertEquals(0, counters.get(NodeCounter.EVENTS_DROPPED));
  }

  @Test
  void tapsSeeEverythingAndTheQueueKeepsIt() {
    List<String> seen = new ArrayList<>();
    EventTap tap = (node, event) -> seen.add(node + " " + event);
    EventQueue tapped = new EventQueue(counters, "a", List.of(tap));
    tapped.add(news(1));
    tapped.add(loss(2));
    assertEquals(List.of("a " + news(1), "a " + loss(2)), seen);
    assertEquals(news(1), tapped.poll());
    assertEquals(loss(2), tapped.poll());
  }

  @Test
  void tapThatThrowsIsLeftOutFromThenOn() {
    List<NodeEvent> seen = new ArrayList<>();
    List<NodeEvent> refused = new ArrayList<>();
    EventTap bad =
        (node, event) -> {
          refused.add(event);
          throw new IllegalStateException("planted");
        };
    EventQueue tapped =
        new EventQueue(counters, "a", List.of(bad, (node, event) -> seen.add(event)));
    tapped.add(news(1));
    tapped.add(news(2));
    assertEquals(List.of(news(1)), refused);
    assertEquals(List.of(news(1), news(2)), seen);
    assertEquals(2, tapped.size());
  }
}
