// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
}
