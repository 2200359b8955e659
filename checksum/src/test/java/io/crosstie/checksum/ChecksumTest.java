// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ChecksumTest {

  private static final int BLOCK = BlockChecksum.BLOCK;
  private static final byte GUARD = 0x5A;

  /** Null: Java alone. */
  Accelerator accelerator() {
    return null;
  }

  private Checksum of(ChecksumKind kind) {
    return Checksum.of(kind, accelerator());
  }

  private final Arena arena = Arena.ofShared();

  @AfterEach
  void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shortLengthsAtEachAlignment(ChecksumKind kind) {
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(1, 300);
    MemorySegment dst = arena.allocate(400);
    byte[] heapDst = new byte[400];
    for (int length = 0; length <= 300; length++) {
      int expected = Reference.checksum(kind, Arrays.copyOf(data, length));
      MemorySegment heap = MemorySegment.ofArray(data);
      assertEquals(expected, checksum.compute(heap, 0, length));
      for (int shift = 0; shift < 8; shift++) {
        byte[] array = new byte[shift + length];
        System.arraycopy(data, 0, array, shift, length);
        assertEquals(expected, checksum.compute(array, shift, length));

        MemorySegment src = arena.allocate(length + 8, 8);
        MemorySegment.copy(data, 0, src, JAVA_BYTE, shift, length);
        assertEquals(expected, checksum.compute(src, shift, length));

        int at = 3 * shift;
        dst.fill(GUARD);
        assertEquals(expected, checksum.copy(src, shift, dst, at, length));
        assertHolds(dst, at, data, length);

        Arrays.fill(heapDst, GUARD);
        assertEquals(expected, checksum.copy(heap, 0, MemorySegment.ofArray(heapDst), at, length));
        assertHolds(MemorySegment.ofArray(heapDst), at, data, length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void lengthsAroundBlocks(ChecksumKind kind) {
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(2, 20 * BLOCK + 8);
    MemorySegment src = arena.allocate(data.length + 8L);
    MemorySegment dst = arena.allocate(data.length + 16L);
    MemorySegment.copy(data, 0, src, JAVA_BYTE, 1, data.length);
    for (int blocks : new int[] {1, 2, 3, 20}) {
      for (int delta = -5; delta <= 5; delta++) {
        int length = blocks * BLOCK + delta;
        int expected = Reference.checksum(kind, Arrays.copyOf(data, length));
        assertEquals(expected, checksum.compute(src, 1, length));
        assertEquals(expected, checksum.compute(data, 0, length));
        dst.fill(GUARD);
        assertEquals(expected, checksum.copy(src, 1, dst, 5, length));
        assertHolds(dst, 5, data, length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void extremeBytes(ChecksumKind kind) {
    Checksum checksum = of(kind);
    for (byte value : new byte[] {0, 1, 0x7F, (byte) 0x80, (byte) 0xFF}) {
      byte[] data = new byte[5 * BLOCK + 3];
      Arrays.fill(data, value);
      int expected = Reference.checksum(kind, data);
      assertEquals(expected, checksum.compute(MemorySegment.ofArray(data), 0, data.length));
      assertEquals(expected, checksum.compute(data, 0, data.length));
    }
  }

  @ParameterizedTest
  @EnumSource
  void anyRangeOfAnArrayIsSummedLikeTheSegment(ChecksumKind kind) {
    SplittableRandom random = new SplittableRandom(12);
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(13, 3 * BLOCK);
    MemorySegment heap = MemorySegment.ofArray(data);
    for (int round = 0; round < 500; round++) {
      int offset = random.nextInt(data.length + 1);
      int length = random.nextInt(data.length - offset + 1);
      int expected = of(kind).compute(heap, offset, length);
      assertEquals(expected, checksum.compute(data, offset, length), offset + "+" + length);
    }
    assertArrayEquals(Bytes.random(13, 3 * BLOCK), data, "only read");
  }

  @ParameterizedTest
  @EnumSource
  void anySplitGivesTheSame(ChecksumKind kind) {
    SplittableRandom random = new SplittableRandom(3);
    Checksum checksum = of(kind);
    for (int round = 0; round < 500; round++) {
      int length = random.nextInt(round % 10 == 0 ? 4 * BLOCK : 100);
      byte[] data = Bytes.random(round, length);
      MemorySegment heap = MemorySegment.ofArray(data);
      MemorySegment src = arena.allocate(length + 1L);
      MemorySegment.copy(data, 0, src, JAVA_BYTE, 1, length);
      MemorySegment dst = arena.allocate(length + 1L);
      int longest = random.nextBoolean() ? 5 : length + 1;

      long state = checksum.begin();
      for (int done = 0; done < length; ) {
        int n = Math.min(random.nextInt(longest + 1), length - done);
        switch (random.nextInt(4)) {
          case 0 -> {
            state = checksum.update(state, heap, done, n);
            MemorySegment.copy(data, done, dst, JAVA_BYTE, done, n);
          }
          case 1 -> state = checksum.updateCopy(state, heap, done, dst, done, n);
          case 2 -> state = checksum.updateCopy(state, src, 1L + done, dst, done, n);
          default -> {
            state = checksum.updateCopy(state, src, 1L + done, dst, done, n);
            // These must not disturb the open computation.
            int some = Math.min(length, 50);
            int expected = Reference.checksum(kind, Arrays.copyOf(data, some));
            assertEquals(expected, checksum.compute(src, 1, some));
            assertEquals(expected, checksum.compute(data, 0, some));
            MemorySegment other = MemorySegment.ofArray(new byte[some]);
            assertEquals(expected, checksum.copy(heap, 0, other, 0, some));
          }
        }
        done += n;
      }
      assertEquals(Reference.checksum(kind, data), checksum.finish(state), "length " + length);
      assertArrayEquals(data, dst.asSlice(0, length).toArray(JAVA_BYTE));
    }
  }

  @ParameterizedTest
  @EnumSource
  void beginAbandonsAnOpenComputation(ChecksumKind kind) {
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(4, 123);
    MemorySegment src = MemorySegment.ofArray(data);
    checksum.update(checksum.begin(), src, 0, 77);
    long state = checksum.update(checksum.begin(), src, 0, 123);
    assertEquals(Reference.checksum(kind, data), checksum.finish(state));
  }

  @ParameterizedTest
  @EnumSource
  void readOnlyAndMappedSources(ChecksumKind kind, @TempDir Path directory) throws IOException {
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(5, 3 * BLOCK + 1);
    int expected = Reference.checksum(kind, data);
    MemorySegment heap = MemorySegment.ofArray(data).asReadOnly();
    assertEquals(expected, checksum.compute(heap, 0, data.length));
    MemorySegment dst = arena.allocate(data.length);
    assertEquals(expected, checksum.copy(heap, 0, dst, 0, data.length));

    Path file = Files.write(directory.resolve("data"), data);
    try (FileChannel channel = FileChannel.open(file)) {
      MemorySegment map = channel.map(MapMode.READ_ONLY, 0, data.length, arena);
      assertEquals(expected, checksum.compute(map, 0, data.length));
      assertEquals(expected, checksum.copy(map, 0, dst, 0, data.length));
      assertThrows(
          IllegalArgumentException.class, () -> checksum.copy(dst, 0, map, 0, data.length));
    }
  }

  /** An arena's memory is often where that of the arena closed before was. */
  @Test
  void memoryOfClosedArenasIsForgotten() {
    Checksum crc = of(ChecksumKind.CRC32C);
    byte[] data = new byte[100_000];
    new SplittableRandom(3).nextBytes(data);
    int expected = crc.compute(data, 0, data.length);
    for (int i = 0; i < 100; i++) {
      Arena arena = i % 2 == 0 ? Arena.ofConfined() : Arena.ofShared();
      MemorySegment memory = arena.allocate(data.length, 64);
      assertEquals(expected, crc.copy(MemorySegment.ofArray(data), 0, memory, 0, data.length));
      assertEquals(expected, crc.compute(memory, 0, data.length));
      arena.close();
      assertThrows(IllegalStateException.class, () -> crc.compute(memory, 0, data.length));
    }
  }

  /** A peer may truncate the file behind shared memory; that must not end the process. */
  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE") // whose compute does not read
  void truncatedFile(ChecksumKind kind, @TempDir Path directory) throws IOException {
    int length = 64 << 10;
    Path file = Files.write(directory.resolve("data"), new byte[length]);
    Checksum checksum = of(kind);
    MemorySegment own = arena.allocate(length);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment map = channel.map(MapMode.READ_WRITE, 0, length, arena);
      channel.truncate(0);
      for (int n : new int[] {1, 40, 1376, length}) {
        assertThrows(InternalError.class, () -> checksum.compute(map, 8, n - n / 8));
        assertThrows(InternalError.class, () -> checksum.copy(map, 8, own, 0, n - n / 8));
        assertThrows(InternalError.class, () -> checksum.copy(own, 0, map, 8, n - n / 8));
      }
      byte[] data = Bytes.random(6, 99);
      assertEquals(
          Reference.checksum(kind, data), checksum.compute(MemorySegment.ofArray(data), 0, 99));
    }
  }

  /** While another thread scribbles over the source, the checksum is that of the copy. */
  @ParameterizedTest
  @EnumSource
  void copyOfAChangingSource(ChecksumKind kind) throws InterruptedException {
    int size = 2 * BLOCK + 40;
    MemorySegment src = arena.allocate(size);
    MemorySegment dst = arena.allocate(size);
    AtomicBoolean stop = new AtomicBoolean();
    Thread scribbler =
        Thread.ofPlatform()
            .start(
                () -> {
                  byte value = 0;
                  while (!stop.get()) {
                    src.fill(value++);
                  }
                });
    try {
      Checksum checksum = of(kind);
      SplittableRandom random = new SplittableRandom(7);
      for (int round = 0; round < 500; round++) {
        int length = random.nextInt(round % 10 == 0 ? size : 100);
        int actual = checksum.copy(src, 0, dst, 0, length);
        byte[] copied = dst.asSlice(0, length).toArray(JAVA_BYTE);
        assertEquals(Reference.checksum(kind, copied), actual);
      }
    } finally {
      stop.set(true);
      scribbler.join();
    }
  }

  @ParameterizedTest
  @EnumSource
  void rangesAreChecked(ChecksumKind kind) {
    Checksum checksum = of(kind);
    for (long size : new long[] {100, 3 * BLOCK}) {
      MemorySegment small = arena.allocate(size);
      MemorySegment big = arena.allocate(4 * BLOCK);
      small.fill(GUARD);
      long[][] ranges = {
        {-1, 1},
        {0, -1},
        {0, Long.MIN_VALUE},
        {size, 1},
        {size + 1, 0},
        {1, size},
        {Long.MAX_VALUE, 1},
        {1, Long.MAX_VALUE},
        {0, 1L << 32},
        {1L << 32, 1},
        {1L << 32, 0},
      };
      for (long[] range : ranges) {
        long at = range[0];
        long length = range[1];
        Class<IndexOutOfBoundsException> expected = IndexOutOfBoundsException.class;
        assertThrows(expected, () -> checksum.compute(small, at, length));
        assertThrows(expected, () -> checksum.update(checksum.begin(), small, at, length));
        assertThrows(expected, () -> checksum.copy(small, at, big, 0, length));
        assertThrows(expected, () -> checksum.copy(big, 0, small, at, length));
        assertThrows(
            expected, () -> checksum.updateCopy(checksum.begin(), big, 0, small, at, length));
      }
      for (byte b : small.toArray(JAVA_BYTE)) {
        assertEquals(GUARD, b);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void rangesOfArraysAreChecked(ChecksumKind kind) {
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(14, 100);
    long state = checksum.update(checksum.begin(), MemorySegment.ofArray(data), 0, 33);
    int[][] ranges = {
      {-1, 1},
      {0, -1},
      {0, Integer.MIN_VALUE},
      {100, 1},
      {101, 0},
      {1, 100},
      {Integer.MAX_VALUE, 1},
      {1, Integer.MAX_VALUE},
      {Integer.MAX_VALUE, Integer.MAX_VALUE},
    };
    for (int[] range : ranges) {
      assertThrows(
          IndexOutOfBoundsException.class, () -> checksum.compute(data, range[0], range[1]));
    }
    state = checksum.update(state, MemorySegment.ofArray(data), 33, 67);
    assertEquals(Reference.checksum(kind, data), checksum.finish(state), "still open");
  }

  @Test
  void beyondTwoGibibytes(@TempDir Path directory) throws IOException {
    long size = (2L << 30) + BLOCK;
    Checksum checksum = of(ChecksumKind.CRC32C);
    byte[] data = Bytes.random(8, BLOCK);
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve("sparse"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.SPARSE)) {
      MemorySegment map = channel.map(MapMode.READ_WRITE, 0, size, arena);
      int expected = Reference.crc32c(data);
      MemorySegment src = MemorySegment.ofArray(data);
      assertEquals(expected, checksum.copy(src, 0, map, size - BLOCK, BLOCK));
      assertEquals(expected, checksum.compute(map, size - BLOCK, BLOCK));
    }
  }

  @ParameterizedTest
  @EnumSource
  void closedArena(ChecksumKind kind) {
    Checksum checksum = of(kind);
    MemorySegment gone = arena.allocate(3 * BLOCK);
    MemorySegment own = MemorySegment.ofArray(Bytes.random(9, 3 * BLOCK));
    checksum.copy(own, 0, gone, 0, 3 * BLOCK);
    checksum.compute(gone, 0, 3 * BLOCK);
    arena.close();
    for (int length : new int[] {1, 8, 40, BLOCK, 3 * BLOCK}) {
      if (kind != ChecksumKind.NONE) {
        assertThrows(IllegalStateException.class, () -> checksum.compute(gone, 0, length));
      }
      assertThrows(IllegalStateException.class, () -> checksum.copy(gone, 0, own, 0, length));
      assertThrows(IllegalStateException.class, () -> checksum.copy(own, 0, gone, 0, length));
    }
    byte[] data = Bytes.random(10, 50);
    assertEquals(
        Reference.checksum(kind, data), checksum.compute(MemorySegment.ofArray(data), 0, 50));
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void segmentsOfAnotherThread(ChecksumKind kind) throws InterruptedException {
    Checksum checksum = of(kind);
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment other = confined.allocate(100);
      AtomicBoolean refused = new AtomicBoolean();
      Thread.ofPlatform()
          .start(
              () -> {
                assertThrows(WrongThreadException.class, () -> checksum.compute(other, 0, 100));
                refused.set(true);
              })
          .join();
      assertTrue(refused.get());
    }
  }

  /** Overlap is not supported, yet must not write outside the destination. */
  @ParameterizedTest
  @EnumSource
  void overlapIsHarmless(ChecksumKind kind) {
    Checksum checksum = of(kind);
    MemorySegment segment = arena.allocate(4 * BLOCK);
    for (int length : new int[] {40, 3 * BLOCK}) {
      segment.fill(GUARD);
      checksum.copy(segment, 0, segment, 7, length);
      checksum.copy(segment, 14, segment, 7, length);
      for (byte b : segment.toArray(JAVA_BYTE)) {
        assertEquals(GUARD, b);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void nothingIsAllocated(ChecksumKind kind) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Checksum checksum = of(kind);
    byte[] data = Bytes.random(11, 2 * BLOCK);
    MemorySegment heap = MemorySegment.ofArray(data);
    MemorySegment nativeSrc = arena.allocate(data.length);
    MemorySegment nativeDst = arena.allocate(data.length);
    MemorySegment heapDst = MemorySegment.ofArray(new byte[data.length]);
    long allocated = Long.MAX_VALUE;
    long end = System.nanoTime() + 60_000_000_000L;
    // until it is compiled
    for (int k = 0; allocated >= 10_000 && (k < 200 || System.nanoTime() < end); k++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      int sum = 0;
      for (int i = 0; i < 25_000; i++) {
        int length = i % 1000 == 0 ? data.length - 8 : i % 1500;
        sum += checksum.compute(nativeSrc, i & 7, length);
        sum += checksum.compute(data, i & 7, length);
        sum += checksum.copy(nativeSrc, i & 7, nativeDst, 0, length);
        sum += checksum.copy(heap, i & 7, heapDst, 0, length);
        long state = checksum.updateCopy(checksum.begin(), heap, i & 7, nativeDst, 0, length);
        sum += checksum.finish(checksum.update(state, nativeSrc, 0, 40));
      }
      allocated = Math.min(allocated, threads.getCurrentThreadAllocatedBytes() - before);
      if (kind != ChecksumKind.NONE) {
        assertNotEquals(0, sum);
      }
    }
    assertTrue(allocated < 10_000, allocated + " bytes in 125000 calls");
  }

  /** Asserts that a range holds the data and all around it is untouched. */
  private static void assertHolds(MemorySegment segment, long at, byte[] data, int length) {
    byte[] expected = new byte[(int) segment.byteSize()];
    Arrays.fill(expected, GUARD);
    System.arraycopy(data, 0, expected, (int) at, length);
    assertArrayEquals(expected, segment.toArray(JAVA_BYTE));
  }
}
