// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.multirail.region.NotificationHandler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.memory.MemoryBudget;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A peer that forges puts: it guesses keys, offsets and lengths, uses the keys of others, repeats
 * what it has sent, cuts a message in parts that contradict each other, and goes on after the
 * region was closed. Each of its messages has a slot in a region of its own, and after each packet
 * all memory is compared: a byte may have changed only if that packet has it for that place, under
 * a sound checksum, and if nothing was there before (R10, R27, R28).
 */
final class ForgedPutsTest {
  /** As {@code Campaign} says, which this module does not see. */
  private static final int RUNS = "long".equals(System.getProperty("tests")) ? 3000 : 12;

  private static final int PACKETS = 400;
  private static final int SLOT = 256;
  private static final int MESSAGES = 24;
  private static final int SLOTS = PlacementChannels.COUNT * MESSAGES;
  private static final int REGION = SLOTS * SLOT;
  private static final int FENCE = 256;
  private static final long STEP_NS = 20_000;
  private static final long SOON = 1_000_000_000L;
  private static final String VICTIM = "mem://victim";

  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final byte[] packet = new byte[1472];
  private final List<byte[]> sent = new ArrayList<>();
  private final List<List<Part>> sentParts = new ArrayList<>();

  // of all runs
  private final Map<ConnectionCounter, Long> counted = new EnumMap<>(ConnectionCounter.class);
  private long corrupt;
  private long invalid;
  private long written;
  private long told;

  // of one run
  private Arena arena = Arena.ofAuto();
  private MemorySegment memory = MemorySegment.NULL;
  private MemorySegment shadow = MemorySegment.NULL;
  private MemoryNet net = new MemoryNet();
  private Pair.Side victim = side("victim", 1);
  private Pair.Side honest = side("honest", 2);
  private Rogue rogue;
  private Random random = new Random();
  private ExportedRegion own;
  private ExportedRegion honests;
  private long[] keysOfOthers = {};
  private int payloads;
  private int frames;

  /** Bytes that may be written now. */
  private static final class Part {
    final long at;
    final byte[] bytes;

    Part(long at, byte[] bytes) {
      this.at = at;
      this.bytes = bytes;
    }
  }

  private record Placed(
      int channel,
      long seq,
      int header,
      long messageLength,
      long from,
      int length,
      long key,
      long target) {}

  private static Pair.Side side(String name, long seed) {
    long incarnation = 1000 + seed; // none is the rogue's
    return new Pair.Side(EndpointConfig.defaults(name, -1, incarnation), seed);
  }

  @Test
  @Tag("R27")
  void nothingIsWrittenButWhatHasAPlace() throws RailException {
    for (int seed = 1; seed <= RUNS; seed++) {
      try {
        run(seed);
      } catch (AssertionError e) {
        throw new AssertionError("seed " + seed + ": " + e.getMessage(), e);
      }
    }
    assertTrue(written > 1000L * RUNS, "bytes written: " + written);
    assertTrue(told > 2L * RUNS, "notifications: " + told);
    assertTrue(corrupt > 10L * RUNS, "under a wrong checksum: " + corrupt);
    assertTrue(invalid > 5L * RUNS, "malformed: " + invalid);
    assertTrue(count(ConnectionCounter.PLACED_REFUSED) > 20L * RUNS, "refused");
    assertTrue(count(ConnectionCounter.PROTOCOL_ERRORS) > 20L * RUNS, "senseless");
  }

  private long count(ConnectionCounter counter) {
    return counted.getOrDefault(counter, 0L);
  }

  // ---- one run ----

  private void run(int seed) throws RailException {
    random = new Random(seed);
    net = new MemoryNet();
    victim = side("victim", seed);
    honest = side("honest", seed + 1L);
    rogue = new Rogue(net, "rogue");
    sent.clear();
    sentParts.clear();
    arena = Arena.ofAuto();
    memory = arena.allocate(2 * REGION + 3 * FENCE, 64);
    shadow = arena.allocate(memory.byteSize(), 64);
    victim.endpoint.addPort(net.opener(VICTIM), net.nowNs);
    honest.endpoint.addPort(net.opener("mem://honest"), net.nowNs);
    rogue.towards(VICTIM);
    Connection c = honest.endpoint.connect("victim", List.of(new RailAddress(VICTIM)), net.nowNs);
    await(() -> c.state() == Connection.State.UP);
    export();
    assertPutArrives(c, 50); // what it takes stays charged
    MemoryBudget received = victim.endpoint.memory().received();
    long before = received.usedBytes();
    rogue.init();
    await(() -> rogue.retries > 0);
    rogue.hello();
    await(() -> rogue.remoteId != 0);
    Connection hostile = victim.connections.getLast();
    int open = PACKETS / 2 + random.nextInt(PACKETS / 2);
    for (int i = 0; i < PACKETS; i++) {
      if (i == open) {
        victim.endpoint.regions().close(own.key());
      }
      step(hostile, i < open);
    }
    assertPutArrives(c, 200);
    assertEquals(Connection.State.UP, hostile.state(), "its errors cost it nothing else");
    addUp(hostile);
    int at = rogue.begin(packet);
    rogue.sealAndSend(packet, at + CloseFrame.encode(packet, at, 0, 0, 0));
    await(() -> hostile.state().isOver());
    int unused = hostile.placement().poll(noted(), Integer.MAX_VALUE);
    assertTrue(received.usedBytes() <= before, () -> received.usedBytes() + " bytes of " + before);
    assertEquals(0, victim.endpoint.counters().get(EndpointCounter.INTERNAL_ERRORS));
    assertSame(List.of());
  }

  private void addUp(Connection hostile) {
    for (ConnectionCounter counter : ConnectionCounter.values()) {
      long unused = counted.merge(counter, hostile.counters().get(counter), Long::sum);
    }
    invalid += victim.endpoint.counters().get(EndpointCounter.INVALID_PACKETS);
    corrupt += hostile.rails().getFirst().counters().get(RailCounter.CRC_FAILURES);
  }

  private ExportedRegion export(long offset, int rights, String who) {
    MemorySegment part = memory.asSlice(offset, REGION);
    ExportedRegion region = victim.endpoint.regions().export(part, rights, who, this);
    assertNotNull(region);
    return region;
  }

  private void export() {
    own = export(FENCE, ExportedRegion.PUT, random.nextBoolean() ? "rogue" : null);
    long elsewhere = REGION + 2L * FENCE;
    honests = export(elsewhere, ExportedRegion.PUT, "honest");
    ExportedRegion readable = export(elsewhere, ExportedRegion.GET, null);
    ExportedRegion closed = export(elsewhere, ExportedRegion.PUT, null);
    victim.endpoint.regions().close(closed.key());
    keysOfOthers = new long[] {honests.key(), readable.key(), closed.key()};
  }

  private void await(BooleanSupplier until) {
    long end = net.nowNs + SOON;
    while (!until.getAsBoolean()) {
      assertTrue(net.nowNs < end, () -> "never: " + victim.events);
      poll();
    }
  }

  private void poll() {
    net.nowNs += STEP_NS;
    victim.endpoint.poll(net.nowNs);
    honest.endpoint.poll(net.nowNs);
    rogue.poll(net.nowNs);
  }

  /** One packet, and what it may have changed. */
  private void step(Connection hostile, boolean isOpen) {
    List<Part> parts = new ArrayList<>();
    if (!sent.isEmpty() && random.nextInt(6) == 0) {
      repeat(parts);
    } else {
      forge(parts);
    }
    poll();
    assertSame(isOpen ? parts : List.of());
    if (random.nextInt(3) == 0) {
      int unused = hostile.placement().poll(noted(), 1 + random.nextInt(20));
    }
  }

  /** All of what is told is there. */
  private NotificationHandler noted() {
    return (region, offset, length, bytes, at, count) -> {
      told++;
      assertEquals(own, region);
      assertEquals(0, offset % SLOT);
      for (long i = offset; i < offset + length; i++) {
        assertTrue(region.memory().get(ValueLayout.JAVA_BYTE, i) != 0, "told before it is there");
      }
    };
  }

  /** Compares all memory with what it was, but for parts that may be there now. */
  private void assertSame(List<Part> parts) {
    for (long at = memory.mismatch(shadow); at >= 0; at = memory.mismatch(shadow)) {
      byte is = memory.get(ValueLayout.JAVA_BYTE, at);
      byte was = shadow.get(ValueLayout.JAVA_BYTE, at);
      long place = at - FENCE;
      assertEquals(0, was, "written again at " + place);
      assertTrue(
          parts.stream()
              .anyMatch(
                  p ->
                      place >= p.at
                          && place < p.at + p.bytes.length
                          && p.bytes[(int) (place - p.at)] == is),
          () -> "written at " + place + ", which nothing was for");
      shadow.set(ValueLayout.JAVA_BYTE, at, is);
      written++;
    }
  }

  /** The honest peer's puts come to their place meanwhile. */
  private void assertPutArrives(Connection c, long at) {
    MemorySegment source = arena.allocate(100);
    source.fill((byte) 7);
    List<String> done = new ArrayList<>();
    Put put =
        new Put(honests.key(), at, source, 0, 100, new byte[0]) {
          @Override
          public void onComplete(long sequence, String error) {
            done.add(String.valueOf(error));
          }
        };
    ChannelCore on = c.placement().channelOf(put);
    assertTrue(c.placement().put(on, put) > 0);
    boolean unusedSignal = honest.endpoint.offered(c, on);
    await(
        () -> {
          int unused = c.placement().poll(noted(), 10);
          return !done.isEmpty();
        });
    assertEquals(List.of("null"), done);
    byte[] bytes = source.toArray(ValueLayout.JAVA_BYTE);
    assertSame(List.of(new Part(REGION + FENCE + at, bytes)));
  }

  // ---- what it sends ----

  private void repeat(List<Part> parts) {
    int which = random.nextInt(sent.size());
    byte[] again = sent.get(which).clone();
    int headerLength = PacketHeader.headerLength(again, 0);
    if (random.nextBoolean()) { // the same bytes under another number
      int at = rogue.begin(packet);
      System.arraycopy(packet, 0, again, 0, at);
      PacketHeader.seal(again, 0, headerLength, crc);
    }
    parts.addAll(sentParts.get(which));
    rogue.send(again, again.length);
  }

  private void forge(List<Part> parts) {
    frames = rogue.begin(packet);
    byte[] payload = new byte[packet.length];
    payloads = 0;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      frame(payload, parts);
    }
    PacketHeader.seal(packet, 0, frames, crc);
    System.arraycopy(payload, 0, packet, frames, payloads);
    rogue.send(packet, frames + payloads);
    sent.add(Arrays.copyOf(packet, frames + payloads));
    sentParts.add(List.copyOf(parts));
  }

  private void frame(byte[] payload, List<Part> parts) {
    Placed honestly = part();
    switch (random.nextInt(16)) {
      case 0 -> put(payload, parts, with(honestly, guess(), honestly.target), false, true);
      case 1 -> {
        long key = keysOfOthers[random.nextInt(keysOfOthers.length)];
        put(payload, parts, with(honestly, key, honestly.target), false, true);
      }
      case 2 -> put(payload, parts, with(honestly, own.key(), outside(honestly)), false, true);
      case 3 -> put(payload, parts, honestly, false, false);
      case 4 -> put(payload, parts, elsewhere(honestly), false, true);
      case 5 -> put(payload, parts, otherwise(honestly), true, true);
      case 6 -> other(payload);
      default -> put(payload, parts, honestly, true, true);
    }
  }

  private long guess() {
    return random.nextBoolean() ? own.key() ^ (1L << random.nextInt(64)) : random.nextLong();
  }

  /** A part of one of its messages, which is always the same but for its content. */
  private Placed part() {
    int lane = random.nextInt(PlacementChannels.COUNT);
    int seq = 1 + random.nextInt(MESSAGES);
    Random of = new Random(31L * (lane * MESSAGES + seq));
    int length = 1 + of.nextInt(SLOT);
    int header = of.nextBoolean() ? 1 + of.nextInt(32) : 0;
    long target = (long) (lane * MESSAGES + seq - 1) * SLOT;
    return cut(
        new Placed(
            PlacementChannels.FIRST + lane, seq, header, length + header, 0, 0, own.key(), target));
  }

  private Placed cut(Placed p) {
    int from = p.header + random.nextInt((int) p.messageLength - p.header + 1);
    if (from == p.messageLength || random.nextInt(3) == 0) {
      from = 0;
    }
    int least = Math.max(1, from == 0 ? p.header : 1);
    int most = (int) p.messageLength - from;
    int length = random.nextInt(3) == 0 ? most : least + random.nextInt(most - least + 1);
    return new Placed(p.channel, p.seq, p.header, p.messageLength, from, length, p.key, p.target);
  }

  private static Placed with(Placed p, long key, long target) {
    return new Placed(p.channel, p.seq, p.header, p.messageLength, p.from, p.length, key, target);
  }

  private long outside(Placed p) {
    long length = p.messageLength - p.header;
    return switch (random.nextInt(5)) {
      case 0 -> REGION - length + 1 + random.nextInt(SLOT);
      case 1 -> Long.MAX_VALUE - length - random.nextInt(3) + 1;
      case 2 -> -1 - random.nextInt(SLOT);
      case 3 -> Long.MIN_VALUE + random.nextInt(3);
      default -> (1L << 32) + p.target;
    };
  }

  /** No message of the window on a placement channel. */
  private Placed elsewhere(Placed p) {
    boolean isFar = random.nextBoolean();
    long seq = isFar ? Long.MAX_VALUE - random.nextInt(1000) : p.seq;
    int channel =
        isFar
            ? p.channel
            : random.nextBoolean()
                ? random.nextInt(5)
                : PlacementChannels.FIRST + PlacementChannels.COUNT + random.nextInt(1000);
    return new Placed(channel, seq, p.header, p.messageLength, p.from, p.length, p.key, p.target);
  }

  /** The message with another length or header: whichever comes first is what it is. */
  private Placed otherwise(Placed p) {
    int header = random.nextInt(33);
    int length = 1 + random.nextInt(SLOT);
    return cut(new Placed(p.channel, p.seq, header, length + header, 0, 0, p.key, p.target));
  }

  /**
   * Writes one frame of a put.
   *
   * @param isPlaced whether it may be placed
   * @param isSound whether its checksum is right
   */
  private void put(byte[] payload, List<Part> parts, Placed p, boolean isPlaced, boolean isSound) {
    byte[] bytes = new byte[p.length];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (1 + random.nextInt(255));
    }
    System.arraycopy(bytes, 0, payload, payloads, bytes.length);
    int sum = crc.compute(bytes, 0, bytes.length);
    frames +=
        PlacedFrame.encode(
            packet,
            frames,
            p.header,
            p.channel,
            p.seq,
            p.length,
            isSound ? sum : sum ^ (1 << random.nextInt(32)),
            p.from,
            p.messageLength,
            p.key,
            p.target);
    payloads += p.length;
    if (isPlaced) {
      int skipped = p.from == 0 ? p.header : 0;
      byte[] placed = Arrays.copyOfRange(bytes, skipped, bytes.length);
      parts.add(new Part(p.target + p.from + skipped - p.header, placed));
    }
  }

  /** Frames that have no place on a placement channel, and one that gives a message up. */
  private void other(byte[] payload) {
    int channel = PlacementChannels.FIRST + random.nextInt(PlacementChannels.COUNT);
    int seq = 1 + random.nextInt(MESSAGES);
    int length = 8;
    Arrays.fill(payload, payloads, payloads + length, (byte) 1);
    int sum = crc.compute(payload, payloads, length);
    switch (random.nextInt(3)) {
      case 0 -> {
        frames += EagerFrame.encode(packet, frames, 0, channel, seq, length, sum);
        payloads += length;
      }
      case 1 -> {
        frames +=
            FragmentFrame.encode(packet, frames, 0, channel, seq, length, sum, 0, 2L * length);
        payloads += length;
      }
      default -> frames += AbortFrame.encode(packet, frames, channel, seq);
    }
  }
}
