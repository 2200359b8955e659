// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Channels come and go on one connection: what both sides have closed is over, and costs nothing.
 */
@Timeout(300)
final class ChannelNumbersTest {
  private static final List<String> UDP = List.of("udp://127.0.0.1:0");
  private static final int AT_A_TIME = 20;
  private static final int ROUNDS = 150;

  private static long freed(Peer peer) {
    return peer.counters().get(ConnectionCounter.CHANNELS_FREED);
  }

  private static void drain(Channel channel, AtomicLong got) {
    int unused =
        channel.poll(
            (m, offset, length, sequence) -> {
              assertEquals(got.incrementAndGet(), sequence);
              return Channel.CONTINUE;
            },
            100);
  }

  /** The same numbers again and again, and ever new ones, three thousand in all. */
  @ParameterizedTest
  @CsvSource({"false, udp://127.0.0.1:0", "true, udp://127.0.0.1:0", "false, shm:", "true, shm:"})
  void thousandsOfChannelsKeepNothing(boolean caller, String rail) {
    try (var nodes =
        new TwoNodes(List.of(rail), caller, config -> config.maxChannels(2 * AT_A_TIME))) {
      nodes.up();
      long[] bytes = new long[2];
      Channel first = nodes.aToB().channel(1);
      for (int round = 0; round < ROUNDS; round++) {
        int from = round % 2 == 0 ? 1 : 1000 * round;
        List<Channel> here = new ArrayList<>();
        List<Channel> there = new ArrayList<>();
        for (int i = 0; i < AT_A_TIME; i++) {
          Channel channel = nodes.aToB().channel(from + i);
          assertEquals(1, nodes.offer(channel, new byte[100]));
          here.add(channel);
          there.add(nodes.bToA().channel(from + i));
        }
        for (Channel channel : there) {
          assertEquals(100, nodes.receive(channel).length);
          assertEquals(1, nodes.offer(channel, new byte[200]));
          channel.close();
        }
        for (Channel channel : here) {
          assertEquals(200, nodes.receive(channel).length);
          channel.close();
        }
        nodes.until("over", () -> here.stream().allMatch(Channel::isOver));
        nodes.until("over there", () -> there.stream().allMatch(Channel::isOver));
        Channel last = here.getLast();
        assertEquals(Channel.CLOSED, last.offer(new byte[1]));
        assertEquals(Channel.CLOSED, last.status());
        if (round == 1) {
          bytes[0] = nodes.a.counters().get(EndpointCounter.MEMORY_BYTES);
          bytes[1] = nodes.b.counters().get(EndpointCounter.MEMORY_BYTES);
        }
      }
      assertTrue(first.isOver());
      assertNotSame(first, nodes.aToB().channel(1));
      nodes.aToB().channel(1).close();
      long all = (long) ROUNDS * AT_A_TIME;
      assertEquals(all, freed(nodes.aToB()));
      assertEquals(all, freed(nodes.bToA()));
      assertEquals(1, nodes.aToB().channels().size());
      nodes.until("the last is told", () -> nodes.bToA().channels().size() == 1);
      assertTrue(nodes.a.counters().get(EndpointCounter.MEMORY_BYTES) <= bytes[0] + 4096);
      assertTrue(nodes.b.counters().get(EndpointCounter.MEMORY_BYTES) <= bytes[1] + 4096);
      for (Peer peer : List.of(nodes.aToB(), nodes.bToA())) {
        assertEquals(0, peer.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
        assertEquals(0, peer.counters().get(ConnectionCounter.CHANNELS_REFUSED));
      }
      assertFalse(nodes.eventsOfA.stream().anyMatch(NodeEvent.ChannelRefused.class::isInstance));
    }
  }

  /** What an offer took while another thread closed the channel is delivered before the end. */
  @Test
  void offersThatCrossTheEndAreDelivered() throws InterruptedException {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      for (int round = 0; round < 60; round++) {
        Channel here = nodes.aToB().channel(7);
        AtomicLong taken = new AtomicLong();
        Thread offering =
            Thread.ofPlatform()
                .start(
                    () -> {
                      byte[] message = new byte[3000];
                      long result = 0;
                      while (result != Channel.CLOSED) {
                        result = here.offer(message);
                        if (result > 0) {
                          taken.incrementAndGet();
                        }
                      }
                    });
        int least = round % 7;
        nodes.until("some", () -> taken.get() >= least);
        here.close();
        Channel there = nodes.bToA().channel(7);
        AtomicLong got = new AtomicLong();
        nodes.until(
            "the end",
            () -> {
              drain(there, got);
              return there.isPeerFinished();
            });
        offering.join();
        there.close();
        nodes.until("both over", () -> here.isOver() && there.isOver());
        drain(there, got);
        assertEquals(taken.get(), got.get(), "round " + round);
        assertEquals(taken.get(), here.acceptedSequence());
      }
    }
  }

  /** A priority is about what one sends oneself: it takes effect, or is refused. */
  @Test
  void thePriorityOfAChannelThatThePeerOpened() {
    try (var nodes = new TwoNodes(UDP, false)) {
      nodes.up();
      for (int number : IntStream.of(1, 2).toArray()) {
        assertEquals(1, nodes.offer(nodes.aToB().channel(number), new byte[1]));
        nodes.until(
            "opened", () -> nodes.bToA().counters().get(ConnectionCounter.MESSAGES_IN) == number);
      }
      assertEquals(2, nodes.bToA().channels().size()); // which chooses nothing
      Channel high = nodes.bToA().channel(1, Priority.HIGH);
      assertEquals(Priority.HIGH, high.priority());
      assertTrue(high.isOf(core(nodes.b, 1)));
      assertEquals(1, nodes.offer(high, new byte[1]));
      assertEquals(Priority.HIGH.core(), core(nodes.b, 1).priority());
      var e = assertThrows(CrosstieException.class, () -> nodes.bToA().channel(1, Priority.NORMAL));
      assertTrue(e.getMessage().contains("HIGH"), e::getMessage);
      assertEquals(1, nodes.offer(nodes.bToA().channel(2, Priority.NORMAL), new byte[1]));
      assertThrows(CrosstieException.class, () -> nodes.bToA().channel(2, Priority.HIGH));
      assertEquals(Priority.NORMAL, nodes.aToB().channel(1).priority());
    }
  }

  private static io.crosstie.reliability.channel.ChannelCore core(Node node, int number) {
    return node.peer("a").connection().existingChannel(number);
  }
}
