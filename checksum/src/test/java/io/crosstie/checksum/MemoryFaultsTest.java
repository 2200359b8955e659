// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.crosstie.testkit.ChildJvm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("R25")
class MemoryFaultsTest {
  private static final int SIZE = 1 << 20;

  @TempDir private Path folder;

  private final MemorySegment own = Arena.ofAuto().allocate(SIZE, 64);
  private final byte[] array = new byte[SIZE];
  private MemorySegment map = MemorySegment.NULL;
  private long used;
  private int published;

  private void copy(int length) {
    MemorySegment.copy(map, 0, own, 0, length);
    used += own.get(ValueLayout.JAVA_BYTE, 0);
    MemoryFaults.raise();
    published++;
  }

  private void copyToArray(int length) {
    MemorySegment.copy(map, ValueLayout.JAVA_BYTE, 0, array, 0, length);
    used += array[0];
    MemoryFaults.raise();
    published++;
  }

  private void word(int length) {
    used += map.get(ValueLayout.JAVA_LONG_UNALIGNED, length & 63);
    MemoryFaults.raise();
    published++;
  }

  /** Code that is compiled reads on, over what it could not read; but not beyond this call. */
  @Test
  void nothingIsPublishedThatCouldNotBeRead() throws IOException {
    Path file = folder.resolve("map");
    Files.write(file, new byte[SIZE]);
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        Arena arena = Arena.ofShared()) {
      map = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
      IntConsumer[] ways = {this::copy, this::copyToArray, this::word};
      for (int i = 0; i < 60_000; i++) {
        for (IntConsumer way : ways) {
          way.accept(8 + (i & 1023));
        }
      }
      assertEquals(0, used);
      FileChannel unused = channel.truncate(0);
      for (IntConsumer way : ways) {
        for (int length : new int[] {8, 60, 100, 5_000, SIZE}) {
          int before = published;
          for (int i = 0; i < 20; i++) {
            assertThrows(InternalError.class, () -> way.accept(length));
          }
          assertEquals(before, published, "after " + length + " bytes");
        }
      }
      MemoryFaults.raise(); // nothing is left
    }
  }

  /**
   * The JDK's checksum of a buffer holds its arena as long as it reads. A fault of the copy before
   * it, thrown in between, would leave it held for good. That depends on what the compiler makes of
   * it, so here it is told.
   */
  @Test
  void memoryThatACopyFaultedIntoCanBeClosed() throws IOException, InterruptedException {
    ChildJvm.java(
        List.of(
            "-XX:-TieredCompilation",
            "-Xbatch",
            "-XX:CompileCommand=quiet",
            "-XX:CompileCommand=dontinline,*.acquireSession",
            "-cp",
            System.getProperty("java.class.path"),
            Faults.class.getName(),
            folder.toString()));
  }

  /** Copies from memory that is there and from memory that is not, and closes the target. */
  static final class Faults {
    private Faults() {}

    public static void main(String[] arguments) throws IOException {
      Path folder = Path.of(arguments[0]);
      MemorySegment there = map(folder.resolve("there"), false);
      MemorySegment gone = map(folder.resolve("gone"), true);
      Checksum crc = Checksum.of(ChecksumKind.CRC32C, null);
      for (int i = 0; i < 1_000; i++) {
        try (Arena target = Arena.ofShared()) {
          MemorySegment dst = target.allocate(SIZE, 64);
          for (int length = 1_200; length < 1_220; length++) {
            crc.copy(there, 8, dst, 0, length);
          }
          assertThrows(InternalError.class, () -> crc.copy(gone, 8, dst, 0, 1_200));
          assertThrows(InternalError.class, () -> crc.copy(gone, 8, dst, 0, 60_000));
        } // throws if it is still held
      }
    }

    private static MemorySegment map(Path file, boolean truncated) throws IOException {
      Files.write(file, new byte[SIZE]);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        Arena arena = Arena.global();
        MemorySegment map = channel.map(FileChannel.MapMode.READ_WRITE, 0, SIZE, arena);
        if (truncated) {
          FileChannel unused = channel.truncate(0);
        }
        return map;
      }
    }
  }
}
