// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import io.crosstie.reliability.wire.Samples.FrameWriter;
import io.crosstie.testkit.Campaign;
import io.crosstie.transport.RailAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Random and mutated packets: the validator never throws, reads nothing beyond what is there,
 * agrees with {@link ReferenceValidator}, and lets pass only what every accessor can read.
 */
@Tag("R21")
@Tag("R25")
class PacketFuzzTest {
  private static final long MAX_MESSAGE_LENGTH = 1 << 20;

  private final PacketValidator validator = new PacketValidator(Takes.ALL);
  private final PacketValidator[] choosy = new PacketValidator[Takes.ALL + 1];

  /** A guard of other bytes before and behind; must not make a difference. */
  private final byte[] guarded = new byte[16 << 10];

  PacketFuzzTest() {
    Arrays.setAll(choosy, PacketValidator::new);
  }

  private boolean accepts(byte[] packet) {
    int result = Samples.validate(validator, packet, MAX_MESSAGE_LENGTH);
    int available = Math.min(packet.length, PacketHeader.MAX_HEADER_LENGTH);
    Arrays.fill(guarded, (byte) packet.length);
    System.arraycopy(packet, 0, guarded, 77, available);
    assertEquals(
        result, validator.validate(guarded, 77, available, packet.length, MAX_MESSAGE_LENGTH));
    assertTrue(result >= PacketValidator.NOT_TAKEN && result != 0);
    return result > 0;
  }

  private void agrees(long seed, byte[] packet) {
    boolean accepted = accepts(packet);
    int takes = (int) seed & Takes.ALL; // some of all
    int chosen = Samples.validate(choosy[takes], packet, MAX_MESSAGE_LENGTH);
    if (accepted != ReferenceValidator.accepts(packet, MAX_MESSAGE_LENGTH, Takes.ALL)
        || chosen > 0 != ReferenceValidator.accepts(packet, MAX_MESSAGE_LENGTH, takes)) {
      fail("seed " + seed + ", accepted " + accepted + ": " + HexFormat.of().formatHex(packet));
    }
    assertEquals(accepted && chosen < 0, chosen == PacketValidator.NOT_TAKEN && accepted);
    if (accepted) {
      readAll(packet);
    }
  }

  /** Uses every accessor on an array that ends where the header ends. */
  private static void readAll(byte[] packet) {
    int headerLength = PacketHeader.headerLength(packet, 0);
    byte[] m = Arrays.copyOf(packet, headerLength);
    if (PacketHeader.kind(m, 0) != PacketHeader.DATA) {
      return;
    }
    long payload = 0;
    int at = PacketHeader.LENGTH;
    while (at < headerLength) {
      payload += readFrame(m, at);
      assertEquals(0, Frames.length(m, at) % 8);
      at += Frames.length(m, at);
    }
    assertEquals(headerLength, at);
    assertEquals(packet.length, headerLength + payload);
  }

  private static int readFrame(byte[] m, int at) {
    switch (Frames.type(m, at)) {
      case Frames.ACK -> {
        long low = AckFrame.largest(m, at) - AckFrame.run(m, at, 0) + 1;
        for (int i = 1; i < AckFrame.runCount(m, at); i++) {
          low -= AckFrame.gap(m, at, i) + AckFrame.run(m, at, i);
        }
        assertTrue(low >= 0);
      }
      case Frames.EAGER -> {
        long sum = 0;
        for (int i = 0; i < EagerFrame.count(m, at); i++) {
          sum += EagerFrame.messageLength(m, at, i);
          assertTrue(EagerFrame.messageLength(m, at, i) <= MAX_MESSAGE_LENGTH);
          assertTrue(EagerFrame.headerLength(m, at, i) <= EagerFrame.messageLength(m, at, i));
          assertTrue(EagerFrame.headerLength(m, at, i) <= EagerFrame.MAX_HEADER_LENGTH);
        }
        assertEquals(sum, EagerFrame.payloadLength(m, at));
      }
      case Frames.FRAGMENT, Frames.REFERENCE ->
          assertTrue(
              FragmentFrame.offset(m, at) + FragmentFrame.payloadLength(m, at)
                  <= FragmentFrame.messageLength(m, at));
      case Frames.PLACED -> {
        long header = FragmentFrame.headerLength(m, at);
        long from = FragmentFrame.offset(m, at);
        long to = from + FragmentFrame.payloadLength(m, at);
        assertTrue(to >= header && (from == 0 || from >= header), "part of a header");
        assertTrue(PlacedFrame.targetOffset(m, at) >= 0 && PlacedFrame.key(m, at) != 0);
        assertTrue(PlacedFrame.targetOffset(m, at) + to - header >= 0);
        assertTrue(to <= FragmentFrame.messageLength(m, at));
      }
      case Frames.DATAGRAM ->
          assertTrue(DatagramFrame.headerLength(m, at) <= DatagramFrame.payloadLength(m, at));
      case Frames.ADDRESSES ->
          assertEquals(AddressesFrame.count(m, at), AddressesFrame.addresses(m, at).size());
      default -> {
        // Fixed fields only.
      }
    }
    return Frames.payloadLength(m, at);
  }

  private static byte[] randomData(Random random) {
    var frames = new ArrayList<FrameWriter>();
    List<FrameWriter> samples = List.copyOf(Samples.frames().values());
    for (int n = 1 + random.nextInt(5); n > 0; n--) {
      frames.add(
          switch (random.nextInt(9)) {
            case 0 -> randomAck(random.nextLong());
            case 1 -> randomWhole(random.nextLong());
            case 2 -> randomFragment(random.nextLong());
            case 3 -> randomAddresses(random.nextLong());
            case 4 -> randomPlaced(random.nextLong());
            case 5 -> randomWithHeaders(random.nextLong());
            default -> samples.get(random.nextInt(samples.size()));
          });
    }
    return Samples.data(frames.toArray(FrameWriter[]::new));
  }

  private static FrameWriter randomAck(long seed) {
    return (m, off) -> {
      var random = new Random(seed);
      long largest = random.nextLong(1L << 50, Long.MAX_VALUE);
      int length = AckFrame.encode(m, off, 1, random.nextInt(), largest, 1 + random.nextInt(9));
      for (int n = random.nextInt(64); n > 0; n--) {
        length = AckFrame.append(m, off, 1 + random.nextInt(9), random.nextLong(1, 1L << 32));
      }
      return length;
    };
  }

  private static FrameWriter randomWhole(long seed) {
    var random = new Random(seed);
    int[] lengths =
        IntStream.generate(() -> random.nextInt(9)).limit(1 + random.nextInt(9)).toArray();
    return (m, off) -> Samples.whole(m, off, 1 + random.nextInt(9), lengths);
  }

  private static FrameWriter randomFragment(long seed) {
    var random = new Random(seed);
    int length = 1 + random.nextInt(50);
    long offset = random.nextLong(MAX_MESSAGE_LENGTH - 100);
    long messageLength = random.nextLong(offset + length, MAX_MESSAGE_LENGTH + 1);
    int flags = random.nextInt(3);
    int header = random.nextInt(2) * (int) Math.min(32, messageLength);
    int first = flags == FragmentFrame.FINAL ? random.nextInt(2) * length : length;
    long from = first == 0 ? messageLength : offset;
    return (m, off) -> Samples.fragment(m, off, flags, header, first, from, messageLength);
  }

  private static FrameWriter randomPlaced(long seed) {
    var random = new Random(seed);
    int header = random.nextInt(33);
    int length = Math.max(1, header) + random.nextInt(50);
    long offset = random.nextBoolean() ? 0 : header + random.nextInt(1000);
    long messageLength = random.nextLong(offset + length, MAX_MESSAGE_LENGTH + 1);
    long target = Long.MAX_VALUE - messageLength + header - random.nextInt(2);
    return (m, off) ->
        PlacedFrame.encode(
            m, off, header, 1, 1, length, 0, offset, messageLength, seed | 1, target);
  }

  private static FrameWriter randomWithHeaders(long seed) {
    var random = new Random(seed);
    int count = 2 + random.nextInt(8);
    int[] lengths = random.ints(count, 0, 50).toArray();
    int[] headers = Arrays.stream(lengths).map(l -> random.nextInt(Math.min(l, 32) + 1)).toArray();
    return (m, off) -> Samples.eagerWithHeaders(m, off, 1 + random.nextInt(9), lengths, headers);
  }

  private static FrameWriter randomAddresses(long seed) {
    var random = new Random(seed);
    List<RailAddress> addresses =
        IntStream.range(0, random.nextInt(4))
            .mapToObj(i -> new RailAddress("a:" + "~".repeat(random.nextInt(30))))
            .toList();
    return (m, off) -> AddressesFrame.encode(m, off, random.nextInt(), addresses);
  }

  /** Changes a few bytes, preferably to values at some border, or the length. */
  private static byte[] mutated(Random random, byte[] packet, int from) {
    int[] borders = {0, 1, 7, 8, 0x3a, 0x40, 0x7f, 0x80, 0xfe, 0xff};
    byte[] mutated = packet.clone();
    for (int n = 1 + random.nextInt(3); n > 0; n--) {
      int at = from + random.nextInt(Math.min(mutated.length, 400) - from);
      switch (random.nextInt(4)) {
        case 0 -> mutated[at] = (byte) borders[random.nextInt(borders.length)];
        case 1 -> mutated[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> mutated[at] = (byte) (mutated[at] + random.nextInt(3) - 1);
        default -> mutated[at] = (byte) random.nextInt();
      }
    }
    int change = random.nextInt(12);
    return switch (change) {
      case 0 -> Arrays.copyOf(mutated, random.nextInt(mutated.length + 1));
      case 1 -> Arrays.copyOf(mutated, mutated.length + 1 + random.nextInt(16));
      default -> mutated;
    };
  }

  @Test
  void noise() {
    for (int seed = 0; seed < 100_000; seed++) {
      var random = new Random(seed);
      var packet = new byte[random.nextInt(200)];
      random.nextBytes(packet);
      if (packet.length > PacketHeader.LENGTH && random.nextBoolean()) {
        // Let it come as far as the frames.
        packet[PacketHeader.VERSION_AND_KIND] = (byte) (0x20 + 1 + random.nextInt(7));
        packet[PacketHeader.RAIL] &= 63;
        packet[PacketHeader.PACKET_NUMBER + 7] &= 127;
        int length = packet.length / 8 * 8;
        Layouts.putU16(packet, PacketHeader.HEADER_LENGTH, length);
        packet[PacketHeader.LENGTH] &= 0x1f;
        Samples.resealed(packet);
      }
      agrees(seed, packet);
    }
  }

  @Test
  void randomPacketsAreAccepted() {
    for (int seed = 0; seed < 20_000; seed++) {
      byte[] packet = randomData(new Random(seed));
      assertTrue(accepts(packet), "seed " + seed);
      agrees(seed, packet);
    }
  }

  @Test
  void mutatedPacketsWithARightCrcAreJudgedAsTheReferenceDoes() {
    int accepted = 0;
    int all = Campaign.count(80_000, 200_000);
    List<byte[]> samples = List.copyOf(Samples.packets().values());
    for (int seed = 0; seed < all; seed++) {
      var random = new Random(seed);
      byte[] packet =
          random.nextInt(4) == 0 ? samples.get(random.nextInt(samples.size())) : randomData(random);
      byte[] mutated = Samples.resealed(mutated(random, packet, PacketHeader.VERSION_AND_KIND));
      agrees(seed, mutated);
      accepted += accepts(mutated) ? 1 : 0;
    }
    assertTrue(
        accepted > all / 10 && accepted < all / 10 * 9, "both must be tried; accepted " + accepted);
  }

  @Test
  void mutatedHeadersWithAWrongCrcAreRefused() {
    for (int seed = 0; seed < 100_000; seed++) {
      var random = new Random(seed);
      byte[] packet = randomData(random);
      int headerLength = Samples.validate(validator, packet, MAX_MESSAGE_LENGTH);
      byte[] damaged = packet.clone();
      // Up to 3 flipped bits: CRC-32C finds all of these in packets of this length.
      for (int n = 1 + random.nextInt(3); n > 0; n--) {
        damaged[random.nextInt(headerLength)] ^= (byte) (1 << random.nextInt(8));
      }
      if (!Arrays.equals(packet, damaged)) {
        assertTrue(!accepts(damaged), "seed " + seed);
      }
    }
  }

  @Test
  void cutAndMergedPacketsAreRefused() {
    for (int seed = 0; seed < 20_000; seed++) {
      var random = new Random(seed);
      byte[] packet = randomData(random);
      byte[] next = randomData(random);
      assertTrue(!accepts(Arrays.copyOf(packet, random.nextInt(packet.length))), "seed " + seed);
      assertTrue(!accepts(Samples.concat(packet, next)), "seed " + seed);
      byte[] part = Arrays.copyOf(next, 1 + random.nextInt(next.length));
      assertTrue(!accepts(Samples.concat(packet, part)), "seed " + seed);
    }
  }
}
