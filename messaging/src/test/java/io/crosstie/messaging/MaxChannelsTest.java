// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The bound on channels is the affair of whoever opens one too many, and of nobody else. */
class MaxChannelsTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");
  private static final int BOUND = 2;

  private static void refused(Peer peer, int number) {
    CrosstieException e = assertThrows(CrosstieException.class, () -> peer.channel(number));
    assertTrue(e.getMessage().contains("maxChannels"), e::getMessage);
    assertTrue(e.getMessage().contains("channel " + number), e::getMessage);
    assertTrue(e.getMessage().contains("bound of " + BOUND), e::getMessage);
  }

  /** Those that were opened before the peer came are bound when it comes, by the engine. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void channelsOpenedBeforeThePeerCame(boolean caller) {
    NodeConfigBuilder waiting = TwoNodes.config("b", UDP, caller).maxChannels(BOUND);
    try (Node b = Node.start(waiting.peer("a").build())) {
      Channel one = b.peer("a").channel(1);
      Channel two = b.peer("a").channel(2);
      refused(b.peer("a"), 3);
      NodeConfigBuilder config = TwoNodes.config("a", UDP, false);
      b.localAddresses().forEach(address -> config.peer("b", address.text()));
      try (Node a = Node.start(config.build())) {
        long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
        while (!a.peer("b").isUp() || !b.peer("a").isUp()) {
          assertTrue(System.nanoTime() < end, a.peer("b")::describe);
          b.idle();
        }
        assertSame(one, b.peer("a").channel(1));
        refused(b.peer("a"), 3);
        long sequence = two.offer(new byte[1]);
        while (two.acceptedSequence() < sequence) {
          assertTrue(System.nanoTime() < end, "not accepted");
          b.idle();
        }
        assertEquals(0, b.counters().get(EndpointCounter.PORT_RESTARTS));
        assertEquals(0, b.counters().get(EndpointCounter.INTERNAL_ERRORS));
        b.pollEvents(
            event -> assertTrue(!(event instanceof NodeEvent.PortChanged), () -> "" + event));
      }
    }
  }

  @Test
  void oneMoreThanThePeerTakes() {
    try (var nodes = new TwoNodes(UDP, false, config -> config.maxChannels(BOUND))) {
      nodes.up();
      Channel one = nodes.bToA().channel(1); // b's two
      Channel two = nodes.bToA().channel(2);
      refused(nodes.bToA(), 3);
      Channel three = nodes.aToB().channel(3);
      assertEquals(1, nodes.offer(three, new byte[10]));
      nodes.until("refused", () -> three.status() != 0);
      assertEquals(Channel.CHANNEL_REFUSED, three.status());
      assertEquals(Channel.CHANNEL_REFUSED, three.offer(new byte[1]));
      nodes.until(
          "event", () -> nodes.eventsOfA.contains(new NodeEvent.ChannelRefused("b", 3, 1, 1)));
      CrosstieException e =
          assertThrows(CrosstieException.class, () -> three.awaitAccepted(1, TwoNodes.PATIENCE));
      assertTrue(e.getMessage().contains("refuses channel 3"), e::getMessage);
      assertTrue(e.getMessage().contains("maxChannels"), e::getMessage);
      assertSame(three, nodes.aToB().channel(3));
      assertTrue(nodes.offer(one, new byte[] {4}) > 0);
      assertArrayEquals(new byte[] {4}, nodes.receive(nodes.aToB().channel(1)));
      assertTrue(nodes.offer(two, new byte[] {5}) > 0); // not before the other one is taken
      nodes.until("two's event", () -> nodes.eventsOfB.toString().contains("ChannelRefused"));
      assertEquals(Channel.CHANNEL_REFUSED, two.status(), "a has its two as well");
    }
  }
}
