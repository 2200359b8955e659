// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One poll for all channels of a node. */
@Timeout(180)
final class NodePollTest {
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

  /** Counts what comes on each channel, which has to come in order. */
  private static final class Sink implements ChannelHandler {
    final Map<Integer, Integer> received = new HashMap<>();
    int all;

    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      int next = received.merge(channel.number(), 1, Integer::sum);
      assertEquals(next, sequence);
      assertEquals(next, segment.get(INT, offset));
      all++;
      return Channel.CONTINUE;
    }
  }

  private static byte[] numbered(int number, int length) {
    byte[] message = new byte[length];
    MemorySegment.ofArray(message).set(INT, 0, number);
    return message;
  }

  /** Nobody on the other side asks for a channel: all are those that the peer opened. */
  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0", "false, shm:", "true, shm:"})
  void messagesOfAllChannelsComeInOrder(boolean caller, String rail) {
    try (var nodes = new TwoNodes(List.of(rail), caller)) {
      nodes.up();
      Random random = new Random(11);
      Sink sink = new Sink();
      int[] sent = new int[200];
      int all = 0;
      for (int i = 0; i < 5000; i++) {
        int channel = random.nextInt(sent.length);
        int length = random.nextInt(40) == 0 ? 100_000 : 4 + random.nextInt(2000);
        byte[] message = numbered(++sent[channel], length);
        Channel to = nodes.aToB().channel(channel);
        nodes.until(
            "room",
            () -> {
              int unused = nodes.b.poll(sink, 10);
              return to.offer(message) > 0;
            });
        all++;
      }
      int expected = all;
      nodes.until(
          "all messages",
          () -> {
            int unused = nodes.b.poll(sink, 100);
            return sink.all == expected;
          });
      for (int channel = 0; channel < sent.length; channel++) {
        assertEquals(sent[channel], sink.received.getOrDefault(channel, 0));
      }
      assertEquals(0, nodes.b.poll(sink, 1));
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void onlyChannelsWithSomethingAreVisited(boolean caller) {
    try (var nodes = new TwoNodes(List.of("shm:"), caller)) {
      nodes.up();
      Sink sink = new Sink();
      for (int channel = 0; channel < 500; channel++) {
        assertTrue(nodes.offer(nodes.aToB().channel(channel), numbered(1, 8)) > 0);
      }
      nodes.until(
          "all have come", () -> nodes.b.poll(sink, 50) + sink.all >= 500 && sink.all == 500);
      nodes.until("nothing waits", () -> nodes.b.poll(sink, 50) == 0 && waiting(nodes.b) == 0);
      assertTrue(nodes.offer(nodes.aToB().channel(77), numbered(2, 8)) > 0);
      nodes.until("one waits", () -> waiting(nodes.b) > 0);
      assertEquals(1, waiting(nodes.b));
      assertEquals(1, nodes.b.poll(sink, 50));
      assertEquals(2, sink.received.get(77));
      assertEquals(0, waiting(nodes.b));
    }
  }

  private static int waiting(Node node) {
    return node.ready().waiting();
  }

  /** Whoever polls that way for the first time finds what came before. */
  @Test
  void whatCameBeforeTheFirstPollIsFound() {
    try (var nodes = new TwoNodes(List.of("shm:"), false)) {
      nodes.up();
      for (int channel = 0; channel < 20; channel++) {
        assertTrue(nodes.offer(nodes.aToB().channel(channel), numbered(1, 100)) > 0);
      }
      nodes.until(
          "accepted",
          () ->
              nodes.aToB().channels().stream()
                  .allMatch(channel -> channel.acceptedSequence() == 1));
      Sink sink = new Sink();
      assertEquals(20, nodes.b.poll(sink, 100));
      assertEquals(20, sink.received.size());
    }
  }

  @Test
  void whatIsToBeTriedLaterStaysFirst() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      for (int number = 1; number <= 3; number++) {
        assertTrue(nodes.offer(nodes.aToB().channel(1), numbered(number, 10)) > 0);
        assertTrue(nodes.offer(nodes.aToB().channel(2), numbered(number, 10)) > 0);
      }
      Sink sink = new Sink();
      int[] refused = new int[1];
      ChannelHandler notOfOne =
          (channel, segment, offset, length, sequence) -> {
            if (channel.number() == 1) {
              assertEquals(1, sequence);
              refused[0]++;
              return Channel.RETRY_LATER;
            }
            return sink.onMessage(channel, segment, offset, length, sequence);
          };
      nodes.until(
          "the other's",
          () -> {
            int unused = nodes.b.poll(notOfOne, 10);
            return sink.all == 3 && refused[0] >= 2;
          });
      nodes.until(
          "all",
          () -> {
            int unused = nodes.b.poll(sink, 10);
            return sink.all == 6;
          });
      assertEquals(3, sink.received.get(1));
    }
  }

  @Test
  void oneHandlerEndsThePoll() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      Sink sink = new Sink();
      begin(nodes.b, sink);
      for (int channel = 1; channel <= 5; channel++) {
        assertTrue(nodes.offer(nodes.aToB().channel(channel), numbered(1, 10)) > 0);
      }
      nodes.until("all wait", () -> waiting(nodes.b) == 5);
      ChannelHandler once =
          (channel, segment, offset, length, sequence) -> {
            MessageHandler.Action unused =
                sink.onMessage(channel, segment, offset, length, sequence);
            return Channel.BREAK;
          };
      for (int i = 1; i <= 5; i++) {
        assertEquals(1, nodes.b.poll(once, 10));
        assertEquals(i, sink.all);
      }
      assertEquals(0, nodes.b.poll(once, 10));
    }
  }

  private static void begin(Node node, ChannelHandler handler) {
    assertEquals(0, node.poll(handler, 1));
  }

  @Test
  void whatAHandlerThrowsComesOutAndTheRestIsStillThere() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      Sink sink = new Sink();
      for (int number = 1; number <= 4; number++) {
        assertTrue(nodes.offer(nodes.aToB().channel(9), numbered(number, 10)) > 0);
      }
      nodes.until("all have come", () -> nodes.bToA().channel(9).unpolled() == 4);
      ChannelHandler throwing =
          (channel, segment, offset, length, sequence) -> {
            MessageHandler.Action unused =
                sink.onMessage(channel, segment, offset, length, sequence);
            throw new IllegalArgumentException("of the application");
          };
      assertThrows(IllegalArgumentException.class, () -> nodes.b.poll(throwing, 10));
      assertEquals(1, sink.all);
      assertEquals(3, nodes.b.poll(sink, 10));
      assertEquals(4, sink.all);
    }
  }

  @Test
  void thereIsOnePollAtATime() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(1), numbered(1, 10)) > 0);
      nodes.until("it has come", () -> nodes.bToA().channel(1).unpolled() == 1);
      ChannelHandler nested =
          (channel, segment, offset, length, sequence) -> {
            int unused = channel.peer().name().length() + nodes.b.poll(new Sink(), 1);
            return Channel.CONTINUE;
          };
      assertThrows(IllegalStateException.class, () -> nodes.b.poll(nested, 1));
      assertThrows(IllegalArgumentException.class, () -> nodes.b.poll(nested, 0));
    }
  }

  @ParameterizedTest
  @CsvSource({"false", "true"})
  void completionsAreToldAsWell(boolean caller) {
    try (var nodes = new TwoNodes(List.of("shm:"), caller);
        Arena arena = caller ? Arena.ofConfined() : Arena.ofShared()) {
      nodes.up();
      Sink sink = new Sink();
      begin(nodes.a, sink);
      MemorySegment lent = arena.allocate(200_000);
      lent.set(INT, 0, 1);
      List<Long> told = new ArrayList<>();
      Channel channel = nodes.aToB().channel(4);
      assertEquals(
          1,
          channel.send(
              lent,
              0,
              lent.byteSize(),
              completion -> {
                assertNull(completion.error());
                assertSame(channel, completion.channel());
                told.add(completion.sequence());
              }));
      Sink there = new Sink();
      nodes.until(
          "told",
          () -> {
            int unused = nodes.a.poll(sink, 10) + nodes.b.poll(there, 10);
            return !told.isEmpty();
          });
      assertEquals(List.of(1L), told);
    }
  }

  @Test
  void anApplicationKeepsSomethingWithAChannel() {
    try (var nodes = new TwoNodes(List.of("shm:"), true)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(1), numbered(1, 10)) > 0);
      Object kept = new Object();
      List<Object> seen = new ArrayList<>();
      ChannelHandler handler =
          (channel, segment, offset, length, sequence) -> {
            Object before = channel.attach(kept);
            seen.add(before == null ? "new" : before);
            return Channel.CONTINUE;
          };
      nodes.until("the first", () -> nodes.b.poll(handler, 1) == 1);
      assertTrue(nodes.offer(nodes.aToB().channel(1), numbered(2, 10)) > 0);
      nodes.until("the second", () -> nodes.b.poll(handler, 1) == 1);
      assertEquals("new", seen.getFirst());
      assertSame(kept, seen.getLast());
      assertSame(kept, nodes.bToA().channel(1).attachment());
    }
  }

  /** Numbers that are used again, and what comes of former connections. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void channelsThatComeAndGoAreFound(boolean caller) {
    try (var nodes = new TwoNodes(List.of("shm:"), caller)) {
      nodes.up();
      int[] got = new int[2];
      ChannelHandler answering =
          (channel, segment, offset, length, sequence) -> {
            got[0]++;
            if (channel.offer(new byte[4]) < 0) {
              return Channel.RETRY_LATER;
            }
            channel.close();
            return Channel.CONTINUE;
          };
      ChannelHandler closing =
          (channel, segment, offset, length, sequence) -> {
            got[1]++;
            channel.close();
            return Channel.CONTINUE;
          };
      for (int round = 1; round <= 60; round++) {
        List<Channel> open = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          Channel channel = nodes.aToB().channel(i);
          assertEquals(1, nodes.offer(channel, new byte[8]));
          open.add(channel);
        }
        nodes.until(
            "over",
            () -> {
              int unused = nodes.b.poll(answering, 5) + nodes.a.poll(closing, 5);
              return open.stream().allMatch(Channel::isOver);
            });
        assertEquals(10 * round, got[1]);
      }
      assertFalse(nodes.bToA().channels().size() > 10);
    }
  }

  @Test
  void messagesOfAFormerConnectionAreFound() {
    try (var nodes = new TwoNodes(List.of("udp://127.0.0.1:0"), false)) {
      nodes.up();
      assertTrue(nodes.offer(nodes.aToB().channel(5), numbered(1, 10)) > 0);
      nodes.until("accepted", () -> nodes.aToB().channel(5).acceptedSequence() == 1);
      nodes.aToB().close(Duration.ofSeconds(10));
      nodes.until("over", () -> nodes.bToA().channel(5).isOver());
      Sink sink = new Sink();
      assertEquals(2, nodes.b.poll(sink, 10), "a message and an end");
      assertEquals(1, sink.received.get(5));
    }
  }

  /** The end of a channel is told once, after its last message, whether any came or not. */
  @ParameterizedTest
  @CsvSource({"false", "true"})
  void theEndOfAChannelIsToldOnce(boolean caller) {
    try (var nodes = new TwoNodes(List.of("shm:"), caller)) {
      nodes.up();
      List<String> told = new ArrayList<>();
      ChannelHandler handler =
          new ChannelHandler() {
            @Override
            public MessageHandler.Action onMessage(
                Channel channel, MemorySegment segment, long offset, long length, long sequence) {
              told.add("message on " + channel.number());
              return Channel.CONTINUE;
            }

            @Override
            public void onEnd(Channel channel) {
              told.add("end of " + channel.number());
            }
          };
      begin(nodes.b, handler);
      assertTrue(nodes.offer(nodes.aToB().channel(1), new byte[5]) > 0);
      nodes.aToB().channel(1).close();
      nodes.until(
          "the first end",
          () -> {
            int unused = nodes.b.poll(handler, 1);
            return told.size() == 2;
          });
      nodes.aToB().channel(2).close();
      nodes.until(
          "the second end",
          () -> {
            int unused = nodes.b.poll(handler, 1);
            return told.size() == 3;
          });
      assertTrue(nodes.offer(nodes.aToB().channel(3), new byte[5]) > 0);
      nodes.until(
          "one that stays",
          () -> {
            int unused = nodes.b.poll(handler, 1);
            return told.size() == 4;
          });
      // Where this thread drives both, nobody drives b meanwhile.
      nodes.aToB().close(caller ? Duration.ofMillis(100) : Duration.ofSeconds(10));
      nodes.until(
          "the third end",
          () -> {
            int unused = nodes.b.poll(handler, 1);
            return told.size() == 5;
          });
      assertEquals(
          List.of("message on 1", "end of 1", "end of 2", "message on 3", "end of 3"), told);
      assertEquals(0, nodes.b.poll(handler, 10));
    }
  }
}
