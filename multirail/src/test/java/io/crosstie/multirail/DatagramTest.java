// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages of no channel that are sent once (R35). */
final class DatagramTest {
  private static final long SOON = 2_000_000_000L;
  private static final long MS = 1_000_000L;

  /** Which came, by what begins them; those without a beginning as -1. */
  private final List<Integer> told = new ArrayList<>();

  private static Pair pair(String kind) throws RailException {
    return switch (kind) {
      case "udp" -> new Pair(2);
      case "ring" -> Pair.shared(0, true);
      default -> Pair.mixed();
    };
  }

  private static byte[] bytes(int number, int length) {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    if (length >= 4) {
      MemorySegment.ofArray(bytes).set(JAVA_INT_UNALIGNED, 0, number);
    }
    return bytes;
  }

  private static int headerLength(int number, int length) {
    return Math.min(number % 33, length);
  }

  private static long offer(Pair pair, int number, int length) {
    Connection c = pair.connection();
    Pieces pieces = new Pieces();
    MemorySegment bytes = MemorySegment.ofArray(bytes(number, length));
    int header = headerLength(number, length);
    pieces.add(bytes, 0, header);
    pieces.headerLength(header);
    pieces.add(bytes, header, length - header);
    long result = c.datagrams().offer(pieces);
    if (result > 0) {
      boolean unused = pair.left.endpoint.signal(c, c.datagrams().signal());
    }
    return result;
  }

  private boolean poll(Pair pair) {
    int unused =
        pair.right
            .connections
            .getLast()
            .datagrams()
            .poll(
                (segment, header, offset, length) -> {
                  int all = header + length;
                  MemorySegment got = segment.asSlice(offset - header, all);
                  int number = all < 4 ? -1 : got.get(JAVA_INT_UNALIGNED, 0);
                  if (number >= 0) {
                    assertEquals(headerLength(number, all), header);
                    MemorySegment sent = MemorySegment.ofArray(bytes(number, all));
                    assertEquals(-1, got.mismatch(sent), "datagram " + number);
                  }
                  told.add(number);
                },
                1000);
    return true;
  }

  private static long count(Pair.Side side, ConnectionCounter counter) {
    return side.connections.getLast().counters().get(counter);
  }

  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring", "mixed"})
  void eachComesOnceAsItLeft(String kind) throws RailException {
    Pair pair = pair(kind);
    int longest = pair.connection().datagrams().longest();
    assertTrue(longest >= 1160, "longest " + longest);
    List<Integer> sent = new ArrayList<>();
    int[] lengths = {0, 1, 4, 33, 500, 1000, 1100, 1160, longest - 1, longest};
    for (int i = 0; i < 300; i++) {
      int length = lengths[i % lengths.length];
      assertTrue(offer(pair, i, length) > 0, "number " + i);
      sent.add(length < 4 ? -1 : i);
      if (i % 7 == 0) {
        assertTrue(pair.run(SOON, () -> poll(pair) && told.size() == sent.size()), pair::describe);
      }
    }
    assertTrue(pair.run(SOON, () -> poll(pair) && told.size() == sent.size()), pair::describe);
    pair.run(100 * MS, () -> !poll(pair));
    assertEquals(sent.stream().sorted().toList(), told.stream().sorted().toList());
    assertEquals(300, count(pair.left, ConnectionCounter.DATAGRAMS_OUT));
    assertEquals(300, count(pair.right, ConnectionCounter.DATAGRAMS_IN));
    assertEquals(0, count(pair.left, ConnectionCounter.DATAGRAMS_LOST));
    assertEquals(0, count(pair.right, ConnectionCounter.DATAGRAMS_DROPPED));
    int most = pair.connection().datagrams().longest(); // the size of packets has grown
    assertTrue(most >= longest);
    assertEquals(Status.TOO_LARGE, offer(pair, 1, most + 1));
  }

  private static boolean hasDatagram(byte[] packet) {
    int end = PacketHeader.headerLength(packet, 0);
    for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(packet, f)) {
      if (Frames.type(packet, f) == Frames.DATAGRAM) {
        return true;
      }
    }
    return false;
  }

  /** What is lost is counted and never leaves again; the messages beside it do. */
  @Test
  void whatIsLostStaysLost() throws RailException {
    Pair pair = new Pair(1);
    int[] seen = new int[1];
    pair.net.lost = packet -> hasDatagram(packet) && seen[0]++ % 3 == 0;
    int left = 0;
    for (int i = 0; i < 400; i++) {
      left += offer(pair, i, 600) > 0 ? 1 : 0;
      assertTrue(pair.send(300) > 0);
      pair.run(MS, () -> !poll(pair));
    }
    int offered = left;
    assertTrue(pair.run(SOON, () -> poll(pair) && pair.delivered == 400), pair::describe);
    assertTrue(
        pair.run(
            SOON,
            () ->
                poll(pair)
                    && told.size() + count(pair.left, ConnectionCounter.DATAGRAMS_LOST) == offered),
        () -> told.size() + " of " + offered + "\n" + pair.describe());
    assertEquals(offered, count(pair.left, ConnectionCounter.DATAGRAMS_OUT));
    assertTrue(count(pair.left, ConnectionCounter.DATAGRAMS_LOST) >= offered / 4);
    assertEquals(told.size(), told.stream().distinct().count());
    assertTrue(pair.counter(pair.left, 0, RailCounter.PAYLOAD_AGAIN_OUT) > 0);
  }

  /** A payload that is not as it left is dropped, named as the rail's, and not sent again. */
  @Test
  void oneThatIsDamagedIsDropped() throws RailException {
    Pair pair = new Pair(1);
    pair.net.lost =
        packet -> {
          if (hasDatagram(packet)) {
            packet[packet.length - 1] ^= 1; // as it arrives
          }
          return false;
        };
    assertTrue(offer(pair, 1, 900) > 0);
    assertTrue(
        pair.run(SOON, () -> pair.counter(pair.right, 0, RailCounter.CRC_FAILURES) == 1),
        pair::describe);
    pair.run(200 * MS, () -> !poll(pair));
    assertEquals(List.of(), told);
    assertEquals(0, count(pair.right, ConnectionCounter.DATAGRAMS_IN));
    assertEquals(0, count(pair.left, ConnectionCounter.DATAGRAMS_LOST)); // its packet came
    assertEquals(1, pair.counter(pair.right, 0, RailCounter.CRC_FAILURES));
  }

  /** Both queues are bounded: the sender is told, and at the receiver the oldest give way. */
  @ParameterizedTest
  @ValueSource(strings = {"udp", "ring"})
  void fullQueuesAreTold(String kind) throws RailException {
    Pair pair = "udp".equals(kind) ? new Pair(1) : pair(kind);
    long before = pair.left.endpoint.memory().sent().usedBytes();
    int offered = 0;
    while (offer(pair, offered, 1000) > 0) {
      offered++;
    }
    assertEquals(Status.BACK_PRESSURED, offer(pair, offered, 1000));
    assertTrue(offered > 200 && offered <= (256 << 10) / 1000, "" + offered);
    assertEquals(256 << 10, pair.left.endpoint.memory().sent().usedBytes() - before);
    int rounds = 4;
    for (int i = 1; i < rounds; i++) {
      assertTrue(pair.run(SOON, () -> pair.connection().datagrams().areSent()), pair::describe);
      for (int n = 0; n < 200; n++) {
        assertTrue(offer(pair, offered++, 1000) > 0);
      }
    }
    int all = offered;
    assertTrue(
        pair.run(SOON, () -> count(pair.right, ConnectionCounter.DATAGRAMS_IN) == all),
        pair::describe);
    boolean unused = poll(pair);
    long dropped = count(pair.right, ConnectionCounter.DATAGRAMS_DROPPED);
    assertTrue(dropped > 0);
    assertEquals(all, dropped + told.size());
    for (int i = 0; i < told.size(); i++) { // the newest are there
      assertEquals((int) dropped + i, told.get(i));
    }
  }

  /** While both wait, every second packet begins with datagrams, and the other with messages. */
  @Test
  void neitherStarvesTheOther() throws RailException {
    Pair pair = new Pair(1);
    List<Integer> begins = new ArrayList<>();
    pair.net.lost =
        packet -> {
          int end = PacketHeader.headerLength(packet, 0);
          for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(packet, f)) {
            int type = Frames.type(packet, f);
            if (type == Frames.DATAGRAM || type == Frames.FRAGMENT || type == Frames.EAGER) {
              begins.add(type);
              break;
            }
          }
          return false;
        };
    int longest = pair.connection().datagrams().longest();
    while (pair.send(60_000) > 0) {} // the credit is for some 80 packets, to begin with
    int all = 60;
    for (int i = 0; i < all; i++) {
      assertTrue(offer(pair, i, longest) > 0);
    }
    assertTrue(pair.run(SOON, () -> poll(pair) && told.size() == all), pair::describe);
    long datagrams =
        begins.subList(0, 100).stream().filter(type -> type == Frames.DATAGRAM).count();
    assertTrue(datagrams >= 45 && datagrams <= 55, () -> datagrams + " of " + begins);
  }

  /** What waits is given up with the connection, and nothing is told any more. */
  @Test
  void nothingIsToldWhenTheConnectionIsOver() throws RailException {
    Pair pair = new Pair(1);
    assertTrue(offer(pair, 1, 100) > 0);
    Connection to = pair.right.connections.getLast();
    assertTrue(pair.run(SOON, () -> to.datagrams().hasNews()), pair::describe);
    assertTrue(offer(pair, 2, 100) > 0);
    to.close(0, pair.net.nowNs);
    assertTrue(pair.run(SOON, () -> to.state().isOver()), pair::describe);
    assertFalse(to.datagrams().hasNews());
    boolean unused = poll(pair);
    assertEquals(List.of(), told);
    Connection from = pair.connection();
    assertTrue(pair.run(SOON, () -> from.state().isOver()), pair::describe);
    assertEquals(Status.CLOSED, offer(pair, 3, 100));
    assertEquals(0, from.datagrams().longest());
    assertEquals(0, pair.right.endpoint.memory().received().usedBytes());
    assertEquals(0, pair.left.endpoint.memory().sent().usedBytes());
  }

  /** Who closes lets leave what was offered before. */
  @Test
  void whatWasOfferedLeavesBeforeTheClose() throws RailException {
    Pair pair = new Pair(1);
    for (int i = 0; i < 100; i++) {
      assertTrue(offer(pair, i, 1000) > 0);
    }
    pair.connection().close(SOON, pair.net.nowNs);
    assertEquals(Status.CLOSED, offer(pair, 100, 1000));
    Connection from = pair.connection();
    assertTrue(pair.run(SOON, () -> poll(pair) && from.state().isOver()), pair::describe);
    assertEquals(100, told.size());
  }
}
