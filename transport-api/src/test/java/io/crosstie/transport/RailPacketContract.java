// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What every rail does with packets. The path between the ports must not lose any by itself, so
 * that what is sent can be waited for (a receiver that is not polled may overflow). Extend {@link
 * RailContract}, which has the other half too.
 */
public abstract class RailPacketContract extends RailFixture {

  @Test
  void packetsOfEverySizeArriveIntact() throws Exception {
    Pair pair = pair();
    Rail rail = pair.aToB;
    List<Integer> sizes = sizes(rail.maxPacketLength());
    for (int size : sizes) {
      send(rail, bytes(size, size));
      rail.flush();
      int expected = pair.b.packets.size() + 1;
      pump(() -> pair.b.packets.size() >= expected);
      assertArrayEquals(bytes(size, size), pair.b.packets.getLast().bytes(), "size " + size);
    }
    assertEquals(sizes.size(), pair.b.packets.size());
  }

  /** The thread may be the application's, and interrupted: no socket closes, the flag stays. */
  @Test
  void anInterruptedThreadHarmsNothing() throws Exception {
    Thread.currentThread().interrupt();
    try {
      Pair pair = pair();
      Rail back = pair.b.port().connect(pair.a.port().localAddress());
      for (int i = 0; i < 50; i++) {
        send(pair.aToB, bytes(i, 100));
        pair.aToB.flush();
        send(back, bytes(i, 100));
        back.flush();
        int expected = i + 1;
        pump(() -> pair.b.packets.size() >= expected && pair.a.packets.size() >= expected);
        Thread.currentThread().interrupt(); // once more, in whatever state the rails are
      }
      assertTrue(pair.aToB.isOpen() && back.isOpen());
      assertEquals(List.of(), pair.a.events);
      assertEquals(List.of(), pair.b.events);
      assertTrue(Thread.currentThread().isInterrupted(), "the flag is the application's");
      pair.b.port().close();
      pair.a.port().close();
      assertTrue(Thread.currentThread().isInterrupted(), "the flag is the application's");
    } finally {
      boolean unused = Thread.interrupted();
    }
  }

  private static List<Integer> sizes(int max) {
    List<Integer> sizes = new ArrayList<>();
    for (int size : new int[] {1, 2, 3, 7, 8, 9, 63, 64, 65, 255, 1000, 1199, 1200, 1408}) {
      if (size <= max) {
        sizes.add(size);
      }
    }
    Random random = new Random(1);
    for (int i = 0; i < 30; i++) {
      sizes.add(1 + random.nextInt(max));
    }
    sizes.add(max - 1);
    sizes.add(max);
    return sizes;
  }

  @Test
  void manyPacketsInABatchArriveOneByOne() throws Exception {
    for (int size : new int[] {1, 48, 1200}) {
      Pair pair = pair();
      for (int i = 0; i < 300; i++) {
        send(pair.aToB, bytes(i, size));
      }
      pair.aToB.flush();
      pump(() -> pair.b.packets.size() >= 300);
      assertArrives(pair.b.packets, 300, i -> bytes(i, size), pair.aToB);
    }
  }

  @Test
  void lengthsMayChangeWithinABatch() throws Exception {
    Pair pair = pair();
    int max = Math.min(2000, pair.aToB.maxPacketLength());
    Random random = new Random(2);
    int[] sizes = new int[400];
    for (int i = 0; i < sizes.length; i++) {
      // runs of equal lengths, shorter and longer ones between them
      sizes[i] = i > 0 && random.nextInt(3) > 0 ? sizes[i - 1] : 5 + random.nextInt(max - 5);
      send(pair.aToB, bytes(i, sizes[i]));
      if (random.nextInt(20) == 0) {
        pair.aToB.flush();
      }
    }
    pair.aToB.flush();
    pump(() -> pair.b.packets.size() >= sizes.length);
    assertArrives(pair.b.packets, sizes.length, i -> bytes(i, sizes[i]), pair.aToB);
  }

  /** A driver may receive otherwise what comes one by one and what comes in numbers. */
  @Test
  void packetsMayComeOneByOneThenInNumbersAndBack() throws Exception {
    Pair pair = pair();
    // a rail back to the sender: the driver then has reason to expect packets from there
    Rail back = pair.b.port().connect(pair.a.port().localAddress());
    List<RailAddress> senders = new ArrayList<>();
    pair.b.reaction = (port, packet) -> senders.add(port.sourceAddress());
    int sent = 0;
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 100; i++) {
        send(pair.aToB, bytes(sent, 50 + sent % 7));
        pair.aToB.flush();
        int expected = ++sent;
        pump(() -> pair.b.packets.size() >= expected);
      }
      for (int i = 0; i < 60; i++) {
        send(pair.aToB, bytes(sent, 50 + sent % 7));
        sent++;
      }
      pair.aToB.flush();
      int expected = sent;
      pump(() -> pair.b.packets.size() >= expected);
    }
    assertArrives(pair.b.packets, sent, i -> bytes(i, 50 + i % 7), pair.aToB);
    assertTrue(pair.b.packets.stream().allMatch(p -> p.source() == back.remoteKey()));
    assertTrue(senders.stream().allMatch(back.remoteAddress()::equals), "" + senders.getLast());
  }

  /** All of them exactly once; in order too where the rail promises it. */
  private static void assertArrives(
      List<Station.Packet> packets,
      int expected,
      java.util.function.IntFunction<byte[]> content,
      Rail rail) {
    assertEquals(expected, packets.size());
    if (rail.port().attributes().ordered()) {
      for (int i = 0; i < expected; i++) {
        assertArrayEquals(content.apply(i), packets.get(i).bytes(), "packet " + i);
      }
      return;
    }
    List<java.nio.ByteBuffer> want = new ArrayList<>();
    for (int i = 0; i < expected; i++) {
      want.add(java.nio.ByteBuffer.wrap(content.apply(i)));
    }
    List<java.nio.ByteBuffer> got =
        new ArrayList<>(packets.stream().map(p -> java.nio.ByteBuffer.wrap(p.bytes())).toList());
    want.sort(null);
    got.sort(null);
    assertEquals(want, got);
  }

  @Test
  void aClaimMayBeCommittedShorterOrGivenBack() throws Exception {
    Pair pair = pair();
    Rail rail = pair.aToB;
    int max = Math.min(1400, rail.maxPacketLength());
    for (int i = 0; i < 50; i++) {
      long offset = claim(rail, max);
      write(rail.txMemory(), offset, bytes(i, max));
      rail.abort();
      offset = claim(rail, max);
      write(rail.txMemory(), offset, bytes(i, 9 + i));
      rail.commit(9 + i);
    }
    rail.abort(); // nothing is open: harmless
    rail.flush();
    pump(() -> pair.b.packets.size() >= 50);
    assertArrives(pair.b.packets, 50, i -> bytes(i, 9 + i), rail);
  }

  @Test
  void packetsFlowBothWaysAtOnce() throws Exception {
    Pair pair = pair();
    Rail back = pair.b.port().connect(pair.a.port().localAddress());
    for (int i = 0; i < 200; i++) {
      send(pair.aToB, bytes(i, 100));
      send(back, bytes(1000 + i, 200));
      if (i % 7 == 0) {
        pair.aToB.flush();
        back.flush();
      }
    }
    pair.aToB.flush();
    back.flush();
    pump(() -> pair.a.packets.size() >= 200 && pair.b.packets.size() >= 200);
    assertArrives(pair.b.packets, 200, i -> bytes(i, 100), pair.aToB);
    assertArrives(pair.a.packets, 200, i -> bytes(1000 + i, 200), back);
  }

  @Test
  void aReceiverThatIsNeverPolledStopsOrLosesButNeverThrows() throws Exception {
    Pair pair = pair();
    pair.b.countOnly = true;
    Rail rail = pair.aToB;
    int length = Math.min(1024, rail.maxPacketLength());
    int committed = 0;
    int refused = 0;
    while (committed < 40_000 && refused < 100) {
      long offset = rail.claim(length);
      if (offset >= 0) {
        write(rail.txMemory(), offset, bytes(committed, length));
        rail.commit(length);
        committed++;
      } else {
        assertEquals(Rail.WOULD_BLOCK, offset);
        refused++;
        rail.flush();
      }
    }
    assertTrue(rail.isOpen());
    if (pair.a.port().attributes().lossless()) {
      assertTrue(refused > 0, "a lossless rail without a receiver must refuse claims");
    }
    // and afterwards it flows again
    pump(
        () -> {
          rail.flush();
          return claimAndAbort(rail);
        });
    long all = committed;
    if (pair.a.port().attributes().lossless()) {
      pump(() -> pair.b.count >= all);
    }
    assertTrue(pair.b.count <= all);
  }

  /** Whether the rail has room for a packet. */
  static boolean claimAndAbort(Rail rail) {
    long offset = rail.claim(1);
    if (offset < 0) {
      return false;
    }
    rail.abort();
    return true;
  }

  @Test
  void peersHaveDifferentKeysAndKeepThem() throws Exception {
    Pair pair = pair();
    Station c = station("c");
    Rail cToB = c.port().connect(pair.b.port().localAddress());
    for (int i = 0; i < 20; i++) {
      send(pair.aToB, bytes(1, 40));
      send(cToB, bytes(2, 40));
      pair.aToB.flush();
      cToB.flush();
    }
    pump(() -> pair.b.packets.size() >= 40);
    long keyOfA = keyOf(pair.b, bytes(1, 40));
    long keyOfC = keyOf(pair.b, bytes(2, 40));
    assertNotEquals(keyOfA, keyOfC);
    assertEquals(
        keyOfA, pair.b.port().connect(pair.a.port().localAddress()).remoteKey(), "key of a rail");
    assertEquals(keyOfC, pair.b.port().connect(c.port().localAddress()).remoteKey());
  }

  private static long keyOf(Station station, byte[] bytes) {
    long[] keys =
        station.packets.stream()
            .filter(p -> java.util.Arrays.equals(p.bytes(), bytes))
            .mapToLong(Station.Packet::source)
            .distinct()
            .toArray();
    assertEquals(1, keys.length, "keys of one sender");
    return keys[0];
  }

  @Test
  void twoRailsToOnePeerBothWork() throws Exception {
    Pair pair = pair();
    Rail second = pair.a.port().connect(pair.b.port().localAddress());
    for (int i = 0; i < 20; i++) {
      send(pair.aToB, bytes(i, 30));
      send(second, bytes(100 + i, 30));
    }
    pair.aToB.flush();
    second.flush();
    pump(() -> pair.b.packets.size() >= 40);
    assertEquals(40, pair.b.packets.size());
    assertEquals(1, pair.b.packets.stream().mapToLong(Station.Packet::source).distinct().count());
  }

  @Test
  void acceptGivesARailBack() throws Exception {
    Pair pair = pair();
    List<Rail> accepted = new ArrayList<>();
    pair.b.reaction =
        (port, packet) -> {
          try {
            accepted.add(port.accept());
            accepted.add(port.accept());
          } catch (RailException e) {
            throw new AssertionError(e);
          }
        };
    send(pair.aToB, bytes(1, 33));
    pair.aToB.flush();
    pump(() -> !pair.b.packets.isEmpty());
    long source = pair.b.packets.getFirst().source();
    assertEquals(2, accepted.size());
    for (Rail rail : accepted) {
      assertEquals(source, rail.remoteKey());
      assertTrue(rail.isOpen());
      assertEquals(pair.b.port(), rail.port());
      send(rail, bytes(2, 44));
      rail.flush();
    }
    pump(() -> pair.a.packets.size() >= 2);
    assertArrayEquals(bytes(2, 44), pair.a.packets.getFirst().bytes());
    assertEquals(pair.aToB.remoteKey(), pair.a.packets.getFirst().source());
  }

  @Test
  void replyReachesTheSenderWithoutARail() throws Exception {
    Pair pair = pair();
    List<RailAddress> sources = new ArrayList<>();
    pair.b.reaction =
        (port, packet) -> {
          sources.add(port.sourceAddress());
          port.reply(segment(bytes(3, 1300)), 100, 1200);
        };
    send(pair.aToB, bytes(1, 20));
    pair.aToB.flush();
    pump(() -> !pair.a.packets.isEmpty());
    byte[] expected = java.util.Arrays.copyOfRange(bytes(3, 1300), 100, 1300);
    assertArrayEquals(expected, pair.a.packets.getFirst().bytes());
    assertEquals(pair.aToB.remoteKey(), pair.a.packets.getFirst().source());

    assertNull(pair.b.port().whyUnreachable(sources.getFirst()));
    Rail toSource = pair.b.port().connect(sources.getFirst());
    send(toSource, bytes(4, 50));
    toSource.flush();
    pump(() -> pair.a.packets.size() >= 2);
    assertArrayEquals(bytes(4, 50), pair.a.packets.getLast().bytes());
  }

  @Test
  void consumedFollowsTheHandlerOfALosslessRail() throws Exception {
    Pair pair = pair();
    Rail rail = pair.aToB;
    if (!pair.a.port().attributes().lossless()) {
      assertEquals(-1, rail.consumed());
      return;
    }
    List<Long> seenByHandler = new ArrayList<>();
    pair.b.reaction = (port, packet) -> seenByHandler.add(rail.consumed());
    assertEquals(0, rail.consumed());
    long last = 0;
    int total = 500;
    for (int i = 0; i < total; i++) {
      send(rail, bytes(i, 64));
      rail.flush();
      if (i % 5 == 0) {
        pollAll();
      }
      long consumed = rail.consumed();
      assertTrue(consumed >= last && consumed <= i + 1, "consumed " + consumed + " after " + last);
      last = consumed;
    }
    pump(() -> rail.consumed() == total);
    for (int i = 0; i < total; i++) {
      assertTrue(seenByHandler.get(i) <= i, "packet " + i + " was consumed while being handled");
    }
  }

  @Test
  void countersAddUp() throws Exception {
    Pair pair = pair();
    long bytes = 0;
    for (int i = 0; i < 250; i++) {
      int size = 1 + i * 5;
      send(pair.aToB, bytes(i, size));
      bytes += size;
    }
    pair.aToB.flush();
    pump(() -> pair.b.packets.size() >= 250);
    Counters<PortCounter> out = pair.a.port().counters();
    Counters<PortCounter> in = pair.b.port().counters();
    assertEquals(250, out.get(PortCounter.PACKETS_OUT));
    assertEquals(bytes, out.get(PortCounter.BYTES_OUT));
    assertEquals(250, in.get(PortCounter.PACKETS_IN));
    assertEquals(bytes, in.get(PortCounter.BYTES_IN));
    assertEquals(0, out.get(PortCounter.DROPPED_OUT));
    assertEquals(0, in.get(PortCounter.DROPPED_IN));
  }

  @Test
  void randomOperationsLoseAndInventNothing() throws Exception {
    for (long seed = 1; seed <= 5; seed++) {
      randomOperations(seed);
    }
  }

  private void randomOperations(long seed) throws Exception {
    Random random = new Random(seed);
    Pair pair = pair();
    Station c = station("c");
    Rail[] rails = {
      pair.aToB, pair.a.port().connect(c.port().localAddress()),
    };
    int[] committed = new int[2];
    int max = Math.min(3000, pair.aToB.maxPacketLength());
    for (int step = 0; step < 2000; step++) {
      int which = random.nextInt(2);
      Rail rail = rails[which];
      switch (random.nextInt(8)) {
        case 0 -> rail.flush();
        case 1 -> pollAll();
        case 2 -> {
          if (rail.claim(1 + random.nextInt(max)) >= 0) {
            rail.abort();
          }
        }
        default -> {
          int claimed = 4 + random.nextInt(max - 3);
          int size = random.nextBoolean() ? claimed : 4 + random.nextInt(claimed - 3);
          long offset = rail.claim(claimed);
          if (offset >= 0) {
            write(rail.txMemory(), offset, bytes(committed[which]++, size));
            rail.commit(size);
          }
        }
      }
    }
    rails[0].flush();
    rails[1].flush();
    pump(() -> pair.b.packets.size() >= committed[0] && c.packets.size() >= committed[1]);
    assertRun(pair.b, committed[0], rails[0], seed);
    assertRun(c, committed[1], rails[1], seed);
  }

  private static void assertRun(Station station, int expected, Rail rail, long seed) {
    assertEquals(expected, station.packets.size(), "seed " + seed);
    boolean[] seen = new boolean[expected];
    for (int i = 0; i < expected; i++) {
      byte[] bytes = station.packets.get(i).bytes();
      int index = indexOf(bytes);
      assertTrue(index >= 0 && index < expected && !seen[index], "seed " + seed);
      seen[index] = true;
      assertArrayEquals(bytes(index, bytes.length), bytes, "seed " + seed);
      if (rail.port().attributes().ordered()) {
        assertEquals(i, index, "seed " + seed);
      }
    }
  }

  @Test
  void attributesAndAddressesMakeSense() throws Exception {
    Pair pair = pair();
    RailPort port = pair.a.port();
    RailAttributes attributes = port.attributes();
    assertFalse(attributes.kind().isBlank());
    assertTrue(attributes.latencyHintNs() > 0);
    assertTrue(attributes.bandwidthHint() > 0);
    assertTrue(attributes.receiveBufferBytes() >= 0);
    assertTrue(pair.aToB.maxPacketLength() >= 1200, "R20: base size");
    assertEquals(pair.b.port().localAddress(), pair.aToB.remoteAddress());
    assertNotEquals(port.localAddress(), pair.b.port().localAddress());
    assertNull(port.whyUnreachable(pair.b.port().localAddress()));
    assertNotNull(port.whyUnreachable(new RailAddress("pigeon:loft-7")));
    assertThrows(RailException.class, () -> port.connect(new RailAddress("pigeon:loft-7")));
    assertEquals(port, pair.aToB.port());
    assertTrue(pair.aToB.isOpen());
  }
}
