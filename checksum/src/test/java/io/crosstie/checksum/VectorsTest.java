// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Published test vectors. */
class VectorsTest {

  private static final String FOX = "The quick brown fox jumps over the lazy dog";

  /** RFC 3720, B.4, as numbers: the RFC prints the bytes as they are sent, the lowest first. */
  @Test
  void crc32cOfRfc3720() {
    byte[] data = new byte[32];
    assertHex("8a9136aa", ChecksumKind.CRC32C, data);
    Arrays.fill(data, (byte) 0xFF);
    assertHex("62a8ab43", ChecksumKind.CRC32C, data);
    for (int i = 0; i < 32; i++) {
      data[i] = (byte) i;
    }
    assertHex("46dd794e", ChecksumKind.CRC32C, data);
    for (int i = 0; i < 32; i++) {
      data[i] = (byte) (31 - i);
    }
    assertHex("113fdb5c", ChecksumKind.CRC32C, data);
    byte[] read =
        HexFormat.of()
            .parseHex(
                "01c00000000000000000000000000000"
                    + "14000000000004000000001400000018"
                    + "28000000000000000200000000000000");
    assertHex("d9963a56", ChecksumKind.CRC32C, read);
  }

  @ParameterizedTest
  @CsvSource({
    "CRC32C, '', 00000000",
    "CRC32C, 123456789, e3069283",
    "ADLER32, '', 00000001",
    "ADLER32, Wikipedia, 11e60398",
    "ADLER32, 123456789, 091e01de",
    "FNV1A, '', 811c9dc5",
    "FNV1A, a, e40c292c",
    "FNV1A, foobar, bf9cf968",
    "JENKINS_OAAT, '', 00000000",
    "JENKINS_OAAT, a, ca2e9442",
    "JENKINS_OAAT, " + FOX + ", 519e91f5",
    "MURMUR, '', 00000000",
    "MURMUR, test, ba6bd213",
    "MURMUR, 'Hello, world!', c0363e43",
    "MURMUR, " + FOX + ", 2e4ff723",
    // 'abcd' + 'e' and 'abcd' ^ 'e' as little-endian words
    "SUM, abcde, 646362c6",
    "XOR, abcde, 64636204",
    "NONE, abcde, 00000000",
  })
  void published(ChecksumKind kind, String data, String expected) {
    assertHex(expected, kind, data.getBytes(US_ASCII));
  }

  @ParameterizedTest
  @CsvSource({"0, 00000000", "1, 514e28b7", "ffffffff, 81f16f39"})
  void murmur3OfNothingWithSeeds(String seed, String expected) {
    Murmur3 murmur = new Murmur3(Integer.parseUnsignedInt(seed, 16));
    assertEquals(expected, HexFormat.of().toHexDigits(murmur.compute(MemorySegment.NULL, 0, 0)));
  }

  @ParameterizedTest
  @CsvSource({
    "abcde, c8c6c527646362c6",
    "abcdef, c8c72b276463c8c6",
    "abcdefgh, 312e2b28cccac8c6",
  })
  void fletcher64BeforeFolding(String data, String expected) {
    byte[] bytes = data.getBytes(US_ASCII);
    assertEquals(expected, HexFormat.of().toHexDigits(Reference.fletcher64(bytes)));
    // With zeros up to whole words, all of it is in the state.
    MemorySegment padded = MemorySegment.ofArray(Arrays.copyOf(bytes, 8));
    Fletcher64 fletcher = new Fletcher64();
    long state = fletcher.update(fletcher.begin(), padded, 0, 8);
    assertEquals(expected, HexFormat.of().toHexDigits(state));
  }

  /** The fold must not lose a bit that flips both sums alike. */
  @Test
  void fletcher64ShowsEachFlippedBit() {
    byte[] data = Bytes.random(1, 64);
    int whole = Checksum.of(ChecksumKind.FLETCHER64).compute(MemorySegment.ofArray(data), 0, 64);
    for (int bit = 0; bit < 64 * 8; bit++) {
      byte[] flipped = data.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      int other =
          Checksum.of(ChecksumKind.FLETCHER64).compute(MemorySegment.ofArray(flipped), 0, 64);
      assertNotEquals(whole, other, "bit " + bit);
    }
  }

  /**
   * The bytes 0, 1, 2 and so on, from the tests of Yandex's copy of Hsieh's function; the lengths
   * end in each kind of tail, with bytes that are negative as signed char.
   */
  @ParameterizedTest
  @CsvSource({"256, 3840866583", "255, 325350515", "254, 2920741773", "253, 3586628615"})
  void superFastFromTheLength(int length, long expected) {
    byte[] data = new byte[length];
    for (int i = 0; i < length; i++) {
      data[i] = (byte) i;
    }
    SuperFast original = new SuperFast(length);
    int hash = original.compute(MemorySegment.ofArray(data), 0, length);
    assertEquals(expected, Integer.toUnsignedLong(hash));
  }

  /** Our own start, computed by Hsieh's C source. */
  @Test
  void superFastFromOurStart() {
    assertHex("565e340b", ChecksumKind.SUPERFAST, FOX.getBytes(US_ASCII));
  }

  private static void assertHex(String expected, ChecksumKind kind, byte[] data) {
    int actual = Checksum.of(kind).compute(MemorySegment.ofArray(data), 0, data.length);
    assertEquals(expected, HexFormat.of().toHexDigits(actual));
  }
}
