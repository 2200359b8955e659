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
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A put written by words is the packet that the format describes, and none but it matches. */
class SinglePutTest {
  private static final int RAIL = 5;
  private static final int CHANNEL = 0x7f00_0001;
  private static final long CONNECTION = 0x8899_aabb_ccdd_eeffL;
  private static final long KEY = 0x1122_3344_5566_7788L;

  private final Random random = new Random(17);
  private final Checksum crc = Checksum.of(ChecksumKind.CRC32C);
  private final MemorySegment memory = Arena.ofAuto().allocate(512, 8);
  private final MemoryWords words = MemoryWords.of(memory);
  private final SinglePut put = new SinglePut();

  private byte[] write(long at, int header, int length, long seq, long target, boolean sums) {
    return write(at, header, length, seq, KEY, target, sums);
  }

  /** Writes one with random bytes; returns them. */
  private byte[] write(
      long at, int header, int length, long seq, long key, long target, boolean sums) {
    random.nextBytes(put.payload());
    put.of(RAIL, CONNECTION, CHANNEL, header);
    put.number(seq + 1, seq);
    memory.asSlice(at, SinglePut.HEADER_LENGTH).fill((byte) 0xa5);
    put.write(words, at, length, key, target, sums);
    return Arrays.copyOf(put.payload(), length);
  }

  @Test
  void isWhatTheFormatDescribes() {
    PacketValidator validator = new PacketValidator(Takes.ALL);
    for (int n = 0; n < 5000; n++) {
      int header = random.nextInt(33);
      int length = Math.max(1, header + random.nextInt(SinglePut.MAX_PAYLOAD - header + 1));
      long seq = 1 + (random.nextLong() >>> 2);
      long target = random.nextLong() >>> 2;
      boolean sums = random.nextBoolean();
      long at = 8L * random.nextInt(16);
      long key = n % 4 == 0 ? 1 + (random.nextLong() >>> 1) : KEY + n / 8;
      byte[] payload = write(at, header, length, seq, key, target, sums);
      byte[] m =
          memory.asSlice(at, SinglePut.HEADER_LENGTH + length).toArray(ValueLayout.JAVA_BYTE);
      assertEquals(
          SinglePut.HEADER_LENGTH, validator.validate(m, 0, m.length, m.length, 64), "of " + n);
      assertEquals(RAIL, PacketHeader.rail(m, 0));
      assertEquals(CONNECTION, PacketHeader.connectionId(m, 0));
      assertEquals(seq + 1, PacketHeader.packetNumber(m, 0));
      byte[] frame = new byte[PlacedFrame.LENGTH];
      int sum = sums ? crc.compute(payload, 0, length) : 0;
      assertEquals(
          PlacedFrame.LENGTH,
          PlacedFrame.encode(frame, 0, header, CHANNEL, seq, length, sum, 0, length, key, target));
      assertArrayEquals(frame, Arrays.copyOfRange(m, PacketHeader.LENGTH, SinglePut.HEADER_LENGTH));
      assertArrayEquals(payload, Arrays.copyOfRange(m, SinglePut.HEADER_LENGTH, m.length));
    }
  }

  @Test
  void matchesWhatIsExpectedAndCopiesIt() {
    SinglePut expected = new SinglePut();
    for (int n = 1; n < 2000; n++) {
      int header = n / 100;
      int length = Math.max(1, header + random.nextInt(SinglePut.MAX_PAYLOAD - header + 1));
      long key = KEY + n / 3;
      byte[] payload = write(64, header, length, n, key, 3L * n, true);
      assertEquals(n % 100 > 0 && n > 1, expected.isOf(RAIL, CONNECTION, CHANNEL, header));
      expected.of(RAIL, CONNECTION, CHANNEL, header);
      expected.number(n + 1, n);
      assertTrue(expected.match(words, 64, SinglePut.HEADER_LENGTH + length));
      assertEquals(length, expected.payloadLength());
      assertEquals(key, expected.key());
      assertEquals(3L * n, expected.targetOffset());
      assertTrue(expected.copy(words, 64, true));
      assertArrayEquals(payload, Arrays.copyOf(expected.payload(), length));
      assertFalse(expected.copy(words, 64, false), "there is a checksum where none is to be");
    }
  }

  /** R21: a header is believed only as a whole; what lies behind it is for the checksum. */
  @Test
  void noOtherHeaderMatches() {
    int length = 13;
    int all = SinglePut.HEADER_LENGTH + length;
    byte[] unused = write(0, 3, length, 88, 99, true);
    for (int bit = 0; bit < 8 * all; bit++) {
      byte before = memory.get(ValueLayout.JAVA_BYTE, bit / 8);
      memory.set(ValueLayout.JAVA_BYTE, bit / 8, (byte) (before ^ 1 << (bit % 8)));
      boolean matches = put.match(words, 0, all);
      assertEquals(bit / 8 >= SinglePut.HEADER_LENGTH, matches, "bit " + bit);
      assertFalse(matches && put.copy(words, 0, true), "bit " + bit);
      memory.set(ValueLayout.JAVA_BYTE, bit / 8, before);
    }
    assertTrue(put.match(words, 0, all));
    for (int other = 0; other < 512 - 8; other++) {
      assertEquals(other == all, put.match(words, 0, other), "length " + other);
    }
  }

  /** What the validator refuses is not taken for the expected one, sealed or not. */
  @Test
  void neitherKeysNorPlacesThatCannotBeMatch() {
    for (long target : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, Long.MAX_VALUE - 7}) {
      byte[] unused = write(0, 0, 8, 88, target, true);
      assertFalse(put.match(words, 0, SinglePut.HEADER_LENGTH + 8), "target " + target);
    }
    byte[] unused = write(0, 0, 8, 88, Long.MAX_VALUE - 8, true);
    assertTrue(put.match(words, 0, SinglePut.HEADER_LENGTH + 8));
    put.write(words, 0, 8, 0, 5, true);
    assertFalse(put.match(words, 0, SinglePut.HEADER_LENGTH + 8), "key 0");
    put.of(RAIL, CONNECTION, CHANNEL, 9);
    put.number(89, 88);
    put.write(words, 0, 8, KEY, 5, true);
    assertFalse(put.match(words, 0, SinglePut.HEADER_LENGTH + 8), "cut notification");
  }
}
