// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is told of messages that were lent. */
@Timeout(120)
final class CompletionTest {
  private static final List<String> SHM = List.of("shm:");
  private static final ChannelHandler TAKE = (channel, m, o, l, s) -> Channel.CONTINUE;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneIsToldAtConsumedIfThatIsAskedFor(boolean caller) {
    try (Arena arena = Arena.ofShared();
        var nodes = new TwoNodes(SHM, caller)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      MemorySegment memory = arena.allocate(100_000);
      List<String> told = new ArrayList<>();
      SendCompletion completion = done -> told.add(done.toString());
      assertEquals(1, channel.send(memory, 0, 100_000, completion, Completion.When.ACCEPTED));
      assertEquals(2, channel.send(memory, 0, 8, completion, Completion.When.CONSUMED));
      nodes.until("accepted", () -> channel.acceptedSequence() == 2);
      nodes.until("told", () -> nodes.a.poll(TAKE, 10) > 0);
      for (int i = 0; i < 50; i++) {
        nodes.cycle();
        assertEquals(0, nodes.a.poll(TAKE, 10), "it is not consumed");
      }
      assertEquals(List.of("1 accepted"), told);
      nodes.until(
          "told", () -> nodes.b.poll(TAKE, 10) + nodes.a.poll(TAKE, 10) >= 0 && told.size() == 2);
      assertEquals(2, channel.consumedSequence());
      assertEquals("2 accepted", told.getLast());
    }
  }

  @Test
  void whatFailsSaysWhatToDo() {
    try (var nodes = new TwoNodes(SHM, true)) {
      nodes.up();
      Channel channel = nodes.aToB().channel(1);
      List<Long> codes = new ArrayList<>();
      List<String> errors = new ArrayList<>();
      SendCompletion completion =
          done -> {
            assertSame(channel, done.channel());
            assertSame(nodes.aToB(), done.peer());
            codes.add(done.status());
            errors.add(String.valueOf(done.error()));
          };
      try (Arena arena = Arena.ofShared();
          Arena lasting = Arena.ofShared()) {
        assertEquals(1, channel.send(arena.allocate(10), 0, 10, completion));
        arena.close();
        nodes.until("told", () -> nodes.a.poll(TAKE, 10) > 0);
        assertEquals(List.of(Channel.MESSAGE_FAILED), codes);
        assertTrue(errors.getFirst().contains("send it again"), errors::toString);
        nodes.b.close(Duration.ZERO);
        long second = channel.send(lasting.allocate(10), 0, 10, completion);
        nodes.until("over", channel::isOver);
        if (second > 0) {
          nodes.until("told", () -> nodes.a.poll(TAKE, 10) >= 0 && codes.size() == 2);
          assertTrue(codes.getLast() == Channel.CLOSED || codes.getLast() == 0, codes::toString);
        }
      } catch (IllegalStateException e) {
        assertTrue(String.valueOf(e.getMessage()).contains("closed"), e::toString); // twice
      }
    }
  }

  /** One poll and one completion for the channels of two peers. */
  @Test
  void oneLoopServesManyPeers() {
    try (Arena arena = Arena.ofShared();
        Node hub = Node.start(TwoNodes.config("hub", SHM, true).rank(7).build())) {
      List<Node> others = new ArrayList<>();
      for (int rank = 0; rank < 2; rank++) {
        NodeConfigBuilder config = TwoNodes.config("other" + rank, SHM, true).rank(rank);
        hub.localAddresses().forEach(address -> config.peer("hub", address.text()));
        others.add(Node.start(config.build()));
      }
      try {
        until(hub, others, () -> hub.peers().stream().filter(Peer::isUp).count() == 2);
        assertSame(hub.peer("other1"), hub.peer(1));
        assertSame(hub.peer("other0"), hub.peer(0));
        assertEquals(7, others.getFirst().peer(7).rank());
        CrosstieException none = assertThrows(CrosstieException.class, () -> hub.peer(2));
        assertTrue(none.getMessage().contains("rank(2)"), none::getMessage);
        List<String> told = new ArrayList<>();
        SendCompletion completion =
            done -> {
              assertNull(done.error());
              told.add(done.peer().name() + " " + done.channel().number() + " " + done);
            };
        for (int rank = 0; rank < 2; rank++) {
          assertEquals(
              1, hub.peer(rank).channel(3 + rank).send(arena.allocate(10), 0, 10, completion));
        }
        until(hub, others, () -> told.size() == 2);
        told.sort(null);
        assertEquals(List.of("other0 3 1 accepted", "other1 4 1 accepted"), told);
      } finally {
        others.forEach(node -> node.close(Duration.ZERO));
      }
    }
  }

  private static void until(
      Node hub, List<Node> others, java.util.function.BooleanSupplier condition) {
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(System.nanoTime() < end, "in time");
      int unused = hub.poll(TAKE, 10);
      others.forEach(
          node -> {
            int unusedToo = node.poll(TAKE, 10);
          });
      Thread.onSpinWait();
    }
  }
}
