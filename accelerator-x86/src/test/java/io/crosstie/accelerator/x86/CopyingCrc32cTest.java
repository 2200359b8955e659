// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.testkit.Facility;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The loops themselves, on processors that have the instructions. */
class CopyingCrc32cTest {
  private static final int SIZE = 300_000;
  private static final byte GUARD = 0x5A;

  private final X86Accelerator accelerator = new X86Accelerator();
  private final Arena arena = Arena.ofShared();
  private final byte[] data = new byte[SIZE];
  private final MemorySegment source = arena.allocate(SIZE, 4096);
  private final MemorySegment destination = arena.allocate(SIZE, 4096);
  private final byte[] guarded = new byte[SIZE];

  CopyingCrc32cTest() {
    new SplittableRandom(1).nextBytes(data);
    MemorySegment.copy(data, 0, source, JAVA_BYTE, 0, SIZE);
    Arrays.fill(guarded, GUARD);
    destination.fill(GUARD);
  }

  @AfterEach
  void close() {
    arena.close();
  }

  /** Every function that can run here, not only the one that is taken. */
  private static List<CopyingCrc32c> all() {
    CopyingCrc32c avx512 = CopyingCrc32c.avx512();
    CopyingCrc32c avx2 = CopyingCrc32c.avx2();
    boolean unused = Facility.onProcessor(avx512 != null, "CRC-32C by AVX-512");
    unused = Facility.onProcessor(avx2 != null, "CRC-32C by AVX2");
    return Stream.of(avx512, avx2).filter(Objects::nonNull).toList();
  }

  private static int jdk(byte[] data, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(data, offset, length);
    return (int) crc.getValue();
  }

  /** Copies, and looks at the sum, at the copy and at what is around it. */
  private void copy(CopyingCrc32c code, int from, int to, int length, boolean streaming) {
    int state = code.copy(-1, source, from, destination, to, length, streaming);
    accelerator.order();
    assertEquals(
        jdk(data, from, length), ~state, code.name() + ": " + from + " to " + to + ", " + length);
    System.arraycopy(data, from, guarded, to, length);
    int before = Math.max(0, to - 300);
    int behind = Math.min(SIZE, to + length + 300);
    assertEquals(
        -1,
        MemorySegment.mismatch(
            MemorySegment.ofArray(guarded), before, behind, destination, before, behind));
    Arrays.fill(guarded, to, to + length, GUARD);
    destination.asSlice(to, length).fill(GUARD);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachLength(boolean streaming) {
    for (CopyingCrc32c code : all()) {
      for (int length = 1; length <= 4100; length++) {
        copy(code, length % 7, 64 + length % 61, length, streaming);
        copy(code, 0, 0, length, streaming);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void eachAlignmentOfBothSides(boolean streaming) {
    for (CopyingCrc32c code : all()) {
      for (int from = 0; from < 64; from++) {
        for (int to = 0; to < 64; to++) {
          copy(code, from, 512 + to, 900 + from * 3 + to, streaming);
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anyRange(boolean streaming) {
    for (CopyingCrc32c code : all()) {
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < 1000; i++) {
        int length = random.nextInt(1, i % 10 == 0 ? SIZE : 20_000);
        int from = random.nextInt(SIZE - length + 1);
        copy(code, from, random.nextInt(SIZE - length + 1), length, streaming);
      }
    }
  }
}
