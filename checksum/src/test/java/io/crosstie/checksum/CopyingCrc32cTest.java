// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** By the machine code itself where it can be had, and by what takes its place where it cannot. */
class CopyingCrc32cTest {
  private static final int SIZE = 300_000;
  private static final byte GUARD = 0x5A;

  private final Arena arena = Arena.ofShared();
  private final byte[] data = Bytes.random(1, SIZE);
  private final MemorySegment source = arena.allocate(SIZE, 4096);
  private final MemorySegment destination = arena.allocate(SIZE, 4096);
  private final byte[] guarded = new byte[SIZE];

  CopyingCrc32cTest() {
    MemorySegment.copy(data, 0, source, JAVA_BYTE, 0, SIZE);
    Arrays.fill(guarded, GUARD);
    destination.fill(GUARD);
  }

  @AfterEach
  void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
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
    StreamingCopy.order();
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

  /** Through the public methods, so that pieces are summed by one way and by the other. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cutAnywhere(boolean streaming) {
    Checksum crc = Checksum.of(ChecksumKind.CRC32C);
    SplittableRandom random = new SplittableRandom(6);
    for (int i = 0; i < 300; i++) {
      int total = random.nextInt(1, 50_000);
      int longest = random.nextBoolean() ? 3000 : total;
      long state = crc.begin();
      for (int done = 0; done < total; ) {
        int n = Math.min(total - done, random.nextInt(1, longest + 1));
        state =
            switch (random.nextInt(3)) {
              case 0 -> crc.updateCopy(state, source, done, destination, done, n);
              case 1 ->
                  crc.updateShared(
                      state,
                      source,
                      done,
                      destination,
                      done,
                      n,
                      streaming && StreamingCopy.isAvailable());
              default -> {
                MemorySegment.copy(source, done, destination, done, n);
                yield crc.update(state, source, done, n);
              }
            };
        done += n;
      }
      StreamingCopy.order();
      assertEquals(jdk(data, 0, total), crc.finish(state));
      assertEquals(-1, MemorySegment.mismatch(source, 0, total, destination, 0, total));
      destination.fill(GUARD);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyKindIsSharedAsItIsCopied(ChecksumKind kind) {
    Checksum checksum = Checksum.of(kind);
    for (int length : new int[] {0, 1, 40, 511, 512, 1024, 16 << 10, 100_003}) {
      int expected = checksum.compute(data, 0, length);
      for (boolean streaming : new boolean[] {false, StreamingCopy.isAvailable()}) {
        long state =
            checksum.updateShared(checksum.begin(), source, 0, destination, 3, length, streaming);
        StreamingCopy.order();
        assertEquals(expected, checksum.finish(state));
        System.arraycopy(data, 0, guarded, 3, length);
        assertArrayEquals(guarded, destination.toArray(JAVA_BYTE));
        destination.fill(GUARD);
        Arrays.fill(guarded, GUARD);
      }
    }
  }

  @Test
  void onlyMemoryThatStaysIsTaken(@TempDir Path directory) throws IOException {
    MemorySegment heap = MemorySegment.ofArray(new byte[SIZE]);
    assertFalse(CopyingCrc32c.takes(heap, destination));
    assertFalse(CopyingCrc32c.takes(source, heap));
    assertFalse(CopyingCrc32c.takes(source, destination.asReadOnly()));
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve("file"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MemorySegment map = channel.map(MapMode.READ_WRITE, 0, SIZE, arena);
      for (MemorySegment file : new MemorySegment[] {map, map.asSlice(64), map.asReadOnly()}) {
        assertFalse(CopyingCrc32c.takes(file, destination));
        assertFalse(CopyingCrc32c.takes(source, file));
      }
      channel.truncate(0);
      Checksum crc = Checksum.of(ChecksumKind.CRC32C);
      assertThrows(
          InternalError.class, () -> crc.updateShared(crc.begin(), source, 0, map, 0, SIZE, false));
      assertThrows(
          InternalError.class,
          () -> crc.updateShared(crc.begin(), map, 0, destination, 0, SIZE, false));
    }
  }

  @Test
  void rangesAndArenasAreChecked() {
    Checksum crc = Checksum.of(ChecksumKind.CRC32C);
    long[][] wrong = {{-1, 1000}, {0, SIZE + 1}, {SIZE - 999, 1000}, {1000, Long.MAX_VALUE}};
    for (long[] range : wrong) {
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> crc.updateShared(-1, source, range[0], destination, 0, range[1], false));
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> crc.updateShared(-1, source, 0, destination, range[0], range[1], false));
    }
    assertThrows(
        IllegalArgumentException.class,
        () -> crc.updateCopy(-1, source, 0, destination.asReadOnly(), 0, SIZE));
    MemorySegment gone;
    try (Arena confined = Arena.ofConfined()) {
      gone = confined.allocate(SIZE);
      AtomicBoolean refused = new AtomicBoolean();
      Thread other =
          Thread.ofPlatform()
              .start(
                  () -> {
                    assertThrows(
                        WrongThreadException.class,
                        () -> crc.updateCopy(-1, gone, 0, destination, 0, SIZE));
                    refused.set(true);
                  });
      assertEquals(true, joined(other) && refused.get());
    }
    assertThrows(
        IllegalStateException.class, () -> crc.updateCopy(-1, gone, 0, destination, 0, SIZE));
    assertThrows(
        IllegalStateException.class, () -> crc.updateShared(-1, source, 0, gone, 0, SIZE, false));
    arena.close();
    assertThrows(
        IllegalStateException.class, () -> crc.updateCopy(-1, source, 0, destination, 0, SIZE));
  }

  private static boolean joined(Thread thread) {
    try {
      thread.join();
      return true;
    } catch (InterruptedException e) {
      return false;
    }
  }
}
