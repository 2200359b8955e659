// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Datagrams over real rails, by every form of progress. Over shared memory each is told once. UDP
 * may lose some, on one host, too: then what is missing is sent once more, and nothing is told more
 * often than it was sent.
 */
@Timeout(180)
final class DatagramsTest {
  private static final int DATAGRAMS = 2000;

  private final Set<Integer> told = new HashSet<>();

  /** How often each may still be told. */
  private final Map<Integer, Integer> untold = new HashMap<>();

  private int sent;
  private int checked;

  /** So many are known not to be told, and what was missing then was sent again. */
  private long lost;

  private static byte[] bytes(int number, int most) {
    byte[] bytes = new byte[4 + new Random(number).nextInt(most - 3)];
    new Random(number).nextBytes(bytes);
    MemorySegment.ofArray(bytes).set(JAVA_INT_UNALIGNED, 0, number);
    return bytes;
  }

  private static int headerLength(int number, int length) {
    return Math.min(number % 33, length);
  }

  private final class Sink implements ChannelHandler {
    int messages;

    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      messages++;
      return Channel.CONTINUE;
    }

    @Override
    public void onDatagram(
        Peer peer, MemorySegment segment, int headerLength, long offset, int length) {
      check(peer, segment, headerLength, offset, length);
    }
  }

  private void check(Peer peer, MemorySegment segment, int header, long offset, int length) {
    assertEquals("a", peer.name());
    assertTrue(segment.isReadOnly());
    MemorySegment all = segment.asSlice(offset - header, header + length);
    int number = all.get(JAVA_INT_UNALIGNED, 0);
    byte[] sent = bytes(number, 1160);
    assertEquals(headerLength(number, sent.length), header);
    assertEquals(-1, all.mismatch(MemorySegment.ofArray(sent)), "datagram " + number);
    checked++;
    int left = untold.merge(number, -1, Integer::sum);
    assertTrue(left >= 0, "more often than it was sent: " + number);
    boolean unused = told.add(number);
  }

  private long offer(Peer to, int number) {
    long result = offerOnce(to, number);
    if (result > 0) {
      sent++;
      int unused = untold.merge(number, 1, Integer::sum);
    }
    return result;
  }

  /** Whether all up to that one were told; sends again what is missing where some were lost. */
  private boolean areTold(TwoNodes nodes, int count) {
    long now = lost(nodes);
    if (now != lost) {
      boolean all = true;
      for (int number = 0; number < count; number++) {
        all &= told.contains(number) || offer(nodes.aToB(), number) > 0;
      }
      lost = all ? now : lost; // where there was no room, once more
    }
    return told.size() == count;
  }

  /** Of those on their way from a to b, the ones that b is not told. */
  private static long lost(TwoNodes nodes) {
    Counters<ConnectionCounter> atA = nodes.aToB().counters();
    return atA.get(ConnectionCounter.DATAGRAMS_LOST)
        + atA.get(ConnectionCounter.DATAGRAMS_UNSENT)
        + nodes.bToA().counters().get(ConnectionCounter.DATAGRAMS_DROPPED);
  }

  /** Each that left came at most once and was told at most once; none was lost but over UDP. */
  private void checkCounters(TwoNodes nodes, String rail, BooleanSupplier poll) {
    Counters<ConnectionCounter> out = nodes.aToB().counters();
    Counters<ConnectionCounter> in = nodes.bToA().counters();
    nodes.until(
        "all have left",
        () ->
            out.get(ConnectionCounter.DATAGRAMS_OUT) + out.get(ConnectionCounter.DATAGRAMS_UNSENT)
                == sent);
    nodes.until(
        "what came is told",
        () ->
            poll.getAsBoolean()
                && in.get(ConnectionCounter.DATAGRAMS_IN)
                    == checked + in.get(ConnectionCounter.DATAGRAMS_DROPPED));
    long left = out.get(ConnectionCounter.DATAGRAMS_OUT);
    assertTrue(in.get(ConnectionCounter.DATAGRAMS_IN) <= left);
    if (rail.startsWith("shm:")) {
      assertEquals(0, lost(nodes));
      assertEquals(told.size(), sent);
      assertEquals(told.size(), in.get(ConnectionCounter.DATAGRAMS_IN));
    }
  }

  private static long offerOnce(Peer to, int number) {
    byte[] bytes = bytes(number, 1160);
    int header = headerLength(number, bytes.length);
    MemorySegment heap = MemorySegment.ofArray(bytes);
    if (header == 0) {
      return to.datagram(heap, 0, bytes.length);
    }
    int rest = bytes.length - header;
    return to.datagram(
        new Gather()
            .header(heap, 0, header)
            .add(heap, header, rest / 2)
            .add(heap, header + rest / 2, rest - rest / 2));
  }

  private static TwoNodes nodes(String progress, String rail) {
    return new TwoNodes(
        List.of(rail),
        "caller".equals(progress),
        config -> "shared".equals(progress) ? config.progress(Progress.shared()) : config);
  }

  /** Whoever polls all channels is told beside their messages. */
  @ParameterizedTest
  @CsvSource({
    "thread, udp://127.0.0.1:0",
    "thread, shm:",
    "caller, udp://127.0.0.1:0",
    "caller, shm:",
    "shared, udp://127.0.0.1:0",
    "shared, shm:"
  })
  void theyComeBesideMessages(String progress, String rail) {
    try (var nodes = nodes(progress, rail)) {
      nodes.up();
      Peer to = nodes.aToB();
      nodes.until("a rail", () -> to.maxDatagramBytes() >= 1160);
      Channel channel = to.channel(3);
      Sink sink = new Sink();
      int messages = 0;
      for (int number = 0; number < DATAGRAMS; number++) {
        int next = number;
        nodes.until(
            "room",
            () -> {
              int unused = nodes.b.poll(sink, 1 + next % 5);
              long result = offer(to, next);
              assertTrue(result > 0 || result == Status.BACK_PRESSURED, Status.name(result));
              return result > 0;
            });
        messages += channel.offer(new byte[number % 100]) > 0 ? 1 : 0;
        if (number % 20 == 0) { // so that a kernel seldom has to drop any
          nodes.until(
              "those before", () -> nodes.b.poll(sink, 50) >= 0 && areTold(nodes, next + 1));
        }
      }
      int offered = messages;
      nodes.until(
          "all",
          () ->
              nodes.b.poll(sink, 100) >= 0
                  && areTold(nodes, DATAGRAMS)
                  && sink.messages == offered);
      checkCounters(nodes, rail, () -> nodes.b.poll(sink, 100) >= 0);
      assertEquals(offered, sink.messages);
    }
  }

  /** Who polls channels one by one polls datagrams by themselves. */
  @ParameterizedTest
  @CsvSource({"thread, udp://127.0.0.1:0", "caller, shm:"})
  void theyArePolledByThemselves(String progress, String rail) {
    try (var nodes = nodes(progress, rail)) {
      nodes.up();
      Peer to = nodes.aToB();
      nodes.until("a rail", () -> to.maxDatagramBytes() >= 1160);
      for (int number = 0; number < 40; number++) {
        assertTrue(offer(to, number) > 0);
      }
      int[] most = new int[1];
      nodes.until(
          "all",
          () -> {
            most[0] = Math.max(most[0], nodes.b.pollDatagrams(this::check, 3));
            return areTold(nodes, 40);
          });
      checkCounters(nodes, rail, () -> nodes.b.pollDatagrams(this::check, 3) <= 3);
      assertTrue(most[0] <= 3);
      assertEquals(0, nodes.a.pollDatagrams(this::check, 3));
    }
  }

  /**
   * The receiver's application stands still until the oldest gave way: sent again they are told.
   */
  @ParameterizedTest
  @ValueSource(strings = {"udp://127.0.0.1:0", "shm:"})
  void whatGaveWayIsToldWhenItIsSentAgain(String rail) {
    try (var nodes = nodes("caller", rail)) {
      nodes.up();
      Peer to = nodes.aToB();
      nodes.until("a rail", () -> to.maxDatagramBytes() >= 1160);
      Counters<ConnectionCounter> in = nodes.bToA().counters();
      int[] count = new int[1];
      nodes.until(
          "some gave way",
          () -> {
            count[0] += offer(to, count[0]) > 0 ? 1 : 0;
            return in.get(ConnectionCounter.DATAGRAMS_DROPPED) > 0;
          });
      nodes.until(
          "all", () -> nodes.b.pollDatagrams(this::check, 100) == 0 && areTold(nodes, count[0]));
      assertTrue(sent > count[0]);
    }
  }

  /** Neither a flood of datagrams nor one of messages keeps the other from a poll. */
  @Test
  void aPollTellsBoth() {
    try (var nodes = nodes("caller", "shm:")) {
      nodes.up();
      Peer to = nodes.aToB();
      nodes.until("a rail", () -> to.maxDatagramBytes() >= 1160);
      Channel channel = to.channel(3);
      for (int number = 0; number < 40; number++) {
        assertTrue(offer(to, number) > 0);
        assertTrue(channel.offer(new byte[10]) > 0);
      }
      Peer from = nodes.bToA();
      nodes.until(
          "both there",
          () ->
              from.counters().get(ConnectionCounter.DATAGRAMS_IN) == 40
                  && from.counters().get(ConnectionCounter.MESSAGES_IN) == 40);
      Sink sink = new Sink();
      assertEquals(0, nodes.b.poll(sink, 1) - 1); // begins to list
      int[] before = {told.size(), sink.messages};
      for (int i = 0; i < 20; i++) {
        assertEquals(1, nodes.b.poll(sink, 1));
      }
      assertEquals(10, told.size() - before[0]);
      assertEquals(10, sink.messages - before[1]);
    }
  }

  @Test
  void whatCannotBeSentIsToldAtTheCall() {
    try (var nodes = nodes("thread", "udp://127.0.0.1:0")) {
      nodes.up();
      Peer to = nodes.aToB();
      nodes.until("a rail", () -> to.maxDatagramBytes() >= 1160);
      int longest = to.maxDatagramBytes();
      MemorySegment memory = MemorySegment.ofArray(new byte[40_000]);
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> to.datagram(memory, 0, 40_000));
      assertTrue(e.getMessage().contains("maxDatagramBytes"), e.getMessage());
      assertTrue(longest <= 16 << 10);
      assertThrows(IndexOutOfBoundsException.class, () -> to.datagram(memory, 39_990, 11));
      nodes.b.close();
      nodes.until("it is over", () -> to.datagram(memory, 0, 10) <= 0);
      long result = to.datagram(memory, 0, 10); // it may be connecting anew already
      assertTrue(result == Status.CLOSED || result == Status.CONNECTING, () -> Status.name(result));
      assertEquals(0, to.maxDatagramBytes());
    }
  }

  @Test
  void nothingIsKeptForAPeerThatHasNotAnswered() {
    NodeConfig config =
        NodeConfig.builder()
            .name("alone")
            .shutdownHook(false)
            .rail("udp://127.0.0.1:0")
            .peer("nobody")
            .build();
    try (Node node = Node.start(config)) {
      Peer nobody = node.peer("nobody");
      MemorySegment memory = MemorySegment.ofArray(new byte[10]);
      assertEquals(Status.CONNECTING, nobody.datagram(memory, 0, 10));
      assertEquals(0, nobody.maxDatagramBytes());
      node.close(Duration.ZERO);
      assertEquals(Status.CLOSED, nobody.datagram(memory, 0, 10));
    }
  }
}
