// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.Checksum;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.checksum.MemoryWords;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A packet written by words is the packet that the format describes, and none but it matches. */
class SinglePacketTest {
  private static final int RAIL = 5;
  private static final int CHANNEL = 0x7fff_fff1;
  private static final long CONNECTION = 0x8899_aabb_ccdd_eeffL;
  private static final int MAX_LENGTH = SinglePacket.HEADER_LENGTH + SinglePacket.MAX_PAYLOAD;

  private final Random random = new Random(17);
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final MemorySegment memory = Arena.ofAuto().allocate(512, 8);
  private final MemorySegment message = Arena.ofAuto().allocate(128, 8);
  private final MemoryWords words = MemoryWords.of(memory);
  private final SinglePacket packet = new SinglePacket();

  /** Writes one with a message of random bytes; returns them. */
  private byte[] write(long at, int length, long number, long seq, boolean sums) {
    byte[] bytes = new byte[128];
    random.nextBytes(bytes);
    MemorySegment.copy(bytes, 0, message, ValueLayout.JAVA_BYTE, 0, bytes.length);
    packet.of(RAIL, CONNECTION, CHANNEL);
    packet.number(number, seq);
    memory.asSlice(at, SinglePacket.HEADER_LENGTH).fill((byte) 0xa5);
    packet.write(words, at, MemoryWords.of(message), 16, length, sums);
    return message.asSlice(16, length).toArray(ValueLayout.JAVA_BYTE);
  }

  private byte[] bytesAt(long at, int length) {
    return memory.asSlice(at, length).toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  void isWhatTheFormatDescribes() {
    PacketValidator validator = new PacketValidator();
    for (int n = 0; n < 5000; n++) {
      int length = random.nextInt(SinglePacket.MAX_PAYLOAD + 1);
      long number = random.nextLong() >>> 1;
      long seq = 1 + (random.nextLong() >>> 2);
      boolean sums = random.nextBoolean();
      long at = 8L * random.nextInt(16);
      byte[] payload = write(at, length, number, seq, sums);
      byte[] m = bytesAt(at, SinglePacket.HEADER_LENGTH + length);
      assertEquals(48, validator.validate(m, 0, m.length, m.length, 64));
      assertEquals(PacketHeader.DATA, PacketHeader.kind(m, 0));
      assertEquals(RAIL, PacketHeader.rail(m, 0));
      assertEquals(CONNECTION, PacketHeader.connectionId(m, 0));
      assertEquals(number, PacketHeader.packetNumber(m, 0));
      int f = PacketHeader.LENGTH;
      assertEquals(Frames.EAGER, Frames.type(m, f));
      assertEquals(0, EagerFrame.headerLength(m, f, 0));
      assertEquals(1, EagerFrame.count(m, f));
      assertEquals(CHANNEL, EagerFrame.channel(m, f));
      assertEquals(seq, EagerFrame.firstMessage(m, f));
      assertEquals(length, EagerFrame.payloadLength(m, f));
      assertEquals(sums ? crc.compute(payload, 0, length) : 0, EagerFrame.checksum(m, f));
      assertArrayEquals(payload, bytesAt(at + SinglePacket.HEADER_LENGTH, length));
    }
  }

  @Test
  void matchesWhatIsExpectedAndCopiesIt() {
    SinglePacket expected = new SinglePacket();
    expected.of(RAIL, CONNECTION, CHANNEL);
    MemorySegment into = Arena.ofAuto().allocate(MAX_LENGTH, 8);
    for (int n = 0; n < 2000; n++) {
      int length = random.nextInt(SinglePacket.MAX_PAYLOAD + 1);
      byte[] payload = write(64, length, n, n + 1, true);
      expected.number(n, n + 1);
      long matched = expected.match(words, 64, SinglePacket.HEADER_LENGTH + length);
      assertEquals(length, SinglePacket.payloadLength(matched));
      int sum = SinglePacket.copy(words, 64, MemoryWords.of(into), 8, length, true);
      assertEquals(SinglePacket.checksum(matched), sum);
      assertEquals(-1, into.asSlice(8, length).mismatch(MemorySegment.ofArray(payload)));
      assertEquals(
          0, SinglePacket.copy(words, 64, MemoryWords.of(into), 8, length, false), "not summed");
    }
  }

  /** R21: a header is believed only as a whole; what lies behind it is for the checksum. */
  @Test
  void noOtherHeaderMatches() {
    int length = 13;
    int all = SinglePacket.HEADER_LENGTH + length;
    byte[] payload = write(0, length, 77, 88, true);
    for (int bit = 0; bit < 8 * all; bit++) {
      byte before = memory.get(ValueLayout.JAVA_BYTE, bit / 8);
      memory.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before ^ 1 << (bit % 8)));
      long matched = packet.match(words, 0, all);
      if (bit / 8 < SinglePacket.HEADER_LENGTH) {
        assertTrue(SinglePacket.payloadLength(matched) < 0, "bit " + bit);
      } else {
        int sum = SinglePacket.copy(words, 0, MemoryWords.of(message), 0, length, true);
        assertFalse(sum == SinglePacket.checksum(matched), "bit " + bit);
      }
      memory.set(ValueLayout.JAVA_BYTE, bit / 8, before);
    }
    assertEquals(length, payload.length);
    assertEquals(length, SinglePacket.payloadLength(packet.match(words, 0, all)));
  }

  @Test
  void neitherLengthNorNumbersNorOwnersMayDiffer() {
    int all = SinglePacket.HEADER_LENGTH + 8;
    byte[] unused = write(0, 8, 77, 88, true);
    for (int length = 0; length <= 2 * MAX_LENGTH; length++) {
      boolean matches = SinglePacket.payloadLength(packet.match(words, 0, length)) >= 0;
      assertEquals(length == all, matches, "length " + length);
    }
    SinglePacket other = new SinglePacket();
    other.of(RAIL, CONNECTION, CHANNEL);
    other.number(78, 88);
    assertEquals(-1, other.match(words, 0, all), "another packet");
    other.number(77, 89);
    assertEquals(-1, other.match(words, 0, all), "another message");
    other.of(RAIL, CONNECTION, CHANNEL - 1);
    other.number(77, 88);
    assertEquals(-1, other.match(words, 0, all), "another channel");
    other.of(RAIL, CONNECTION + 1, CHANNEL);
    other.number(77, 88);
    assertEquals(-1, other.match(words, 0, all), "another connection");
    other.of(RAIL + 1, CONNECTION, CHANNEL);
    other.number(77, 88);
    assertEquals(-1, other.match(words, 0, all), "another rail");
    other.of(RAIL, CONNECTION, CHANNEL);
    other.number(77, 88);
    assertEquals(8, SinglePacket.payloadLength(other.match(words, 0, all)));
    assertTrue(other.isOf(RAIL, CONNECTION, CHANNEL));
    assertFalse(other.isOf(RAIL, CONNECTION, CHANNEL - 1));
    assertFalse(other.isOf(RAIL + 1, CONNECTION, CHANNEL));
    assertFalse(new SinglePacket().isOf(0, 0, 0));
  }
}
