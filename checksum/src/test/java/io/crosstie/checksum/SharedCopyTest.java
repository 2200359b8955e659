// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies to memory that others may change, checksum included; in Java, and by an accelerator. */
class SharedCopyTest {
  private static final int SIZE = 300_000;
  private static final byte GUARD = 0x5A;

  private final Arena arena = Arena.ofShared();
  private final byte[] data = Bytes.random(1, SIZE);
  private final MemorySegment source = arena.allocate(SIZE, 4096);
  private final MemorySegment destination = arena.allocate(SIZE, 4096);
  private final byte[] guarded = new byte[SIZE];

  SharedCopyTest() {
    MemorySegment.copy(data, 0, source, JAVA_BYTE, 0, SIZE);
    Arrays.fill(guarded, GUARD);
    destination.fill(GUARD);
  }

  /** Null: Java alone. */
  Accelerator accelerator() {
    return null;
  }

  private Accelerator streamer(boolean streaming) {
    return streaming ? accelerator() : null;
  }

  private void order() {
    if (accelerator() != null) {
      accelerator().order();
    }
  }

  @AfterEach
  void close() {
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }

  private static int jdk(byte[] data, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(data, offset, length);
    return (int) crc.getValue();
  }

  /** Through the public methods, so that pieces are summed by one way and by the other. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cutAnywhere(boolean streaming) {
    Checksum crc = Checksum.of(ChecksumKind.CRC32C, accelerator());
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
                  crc.updateShared(state, source, done, destination, done, n, streamer(streaming));
              default -> {
                MemorySegment.copy(source, done, destination, done, n);
                yield crc.update(state, source, done, n);
              }
            };
        done += n;
      }
      order();
      assertEquals(jdk(data, 0, total), crc.finish(state));
      assertEquals(-1, MemorySegment.mismatch(source, 0, total, destination, 0, total));
      destination.fill(GUARD);
    }
  }

  @ParameterizedTest
  @EnumSource
  void everyKindIsSharedAsItIsCopied(ChecksumKind kind) {
    Checksum checksum = Checksum.of(kind, accelerator());
    for (int length : new int[] {0, 1, 40, 511, 512, 1024, 16 << 10, 100_003}) {
      int expected = checksum.compute(data, 0, length);
      for (boolean streaming : new boolean[] {false, true}) {
        long state =
            checksum.updateShared(
                checksum.begin(), source, 0, destination, 3, length, streamer(streaming));
        order();
        assertEquals(expected, checksum.finish(state));
        System.arraycopy(data, 0, guarded, 3, length);
        assertArrayEquals(guarded, destination.toArray(JAVA_BYTE));
        destination.fill(GUARD);
        Arrays.fill(guarded, GUARD);
      }
    }
  }

  /** One that would be told of everything that it is given. */
  private static final class Witness implements Accelerator {
    private int calls;

    @Override
    public String name() {
      return "witness";
    }

    @Override
    public String whyUnavailable() {
      return null;
    }

    @Override
    public boolean sumsCopies() {
      return true;
    }

    @Override
    public int copyCrc32c(
        int state,
        MemorySegment from,
        long offset,
        MemorySegment to,
        long at,
        long length,
        boolean streaming) {
      calls++;
      return state;
    }

    @Override
    public void stream(MemorySegment from, long offset, MemorySegment to, long at, long length) {
      throw new AssertionError("nothing was to be streamed");
    }

    @Override
    public void order() {}
  }

  @Test
  void onlyMemoryThatStaysIsGivenToAnAccelerator(@TempDir Path directory) throws IOException {
    Witness witness = new Witness();
    Checksum watched = Checksum.of(ChecksumKind.CRC32C, witness);
    long unused = watched.updateCopy(-1, source, 0, destination, 0, SIZE);
    assertEquals(1, witness.calls);
    MemorySegment heap = MemorySegment.ofArray(new byte[SIZE]);
    unused = watched.updateCopy(-1, heap, 0, destination, 0, SIZE);
    unused = watched.updateCopy(-1, source, 0, heap, 0, SIZE);
    assertThrows(
        IllegalArgumentException.class,
        () -> watched.updateCopy(-1, source, 0, destination.asReadOnly(), 0, SIZE));
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve("file"),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MemorySegment map = channel.map(MapMode.READ_WRITE, 0, SIZE, arena);
      MemorySegment part = map.asSlice(64);
      for (MemorySegment file : new MemorySegment[] {map, part, map.asReadOnly()}) {
        long length = file.byteSize();
        unused = watched.updateCopy(-1, file, 0, destination, 0, length);
        unused = watched.updateShared(-1, file, 0, destination, 0, length, null);
      }
      unused = watched.updateShared(-1, source, 0, map, 0, SIZE, null);
      unused = watched.updateShared(-1, source, 0, part, 0, part.byteSize(), null);
      assertEquals(1, witness.calls);
      channel.truncate(0);
      Checksum crc = Checksum.of(ChecksumKind.CRC32C, accelerator());
      assertThrows(
          InternalError.class, () -> crc.updateShared(crc.begin(), source, 0, map, 0, SIZE, null));
      assertThrows(
          InternalError.class,
          () -> crc.updateShared(crc.begin(), map, 0, destination, 0, SIZE, null));
    }
  }

  @Test
  void rangesAndArenasAreChecked() {
    Checksum crc = Checksum.of(ChecksumKind.CRC32C, accelerator());
    long[][] wrong = {{-1, 1000}, {0, SIZE + 1}, {SIZE - 999, 1000}, {1000, Long.MAX_VALUE}};
    for (long[] range : wrong) {
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> crc.updateShared(-1, source, range[0], destination, 0, range[1], null));
      assertThrows(
          IndexOutOfBoundsException.class,
          () -> crc.updateShared(-1, source, 0, destination, range[0], range[1], null));
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
        IllegalStateException.class, () -> crc.updateShared(-1, source, 0, gone, 0, SIZE, null));
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
