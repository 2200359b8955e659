// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.process.ToolException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamDataTest {
  @TempDir private Path folder;

  private static byte[] take(StreamData data, int... parts) {
    byte[] bytes = new byte[Arrays.stream(parts).sum()];
    MemorySegment memory = MemorySegment.ofArray(bytes);
    int at = 0;
    for (int part : parts) {
      data.copy(at, memory, at, part);
      at += part;
    }
    assertTrue(data.matches(0, memory, 0, bytes.length));
    for (int i = 0; i < bytes.length; i += 1 + i / 8) {
      bytes[i] ^= 1;
      assertFalse(data.matches(0, memory, 0, bytes.length), "byte " + i);
      bytes[i] ^= 1;
    }
    return bytes;
  }

  @Test
  void generatedDataDoesNotDependOnTheCuts() {
    byte[] whole = take(StreamData.generated(1), 1_000_000);
    byte[] parts =
        take(StreamData.generated(1), 1, 7, 8, 9, 100, 0, 262_019, 262_144, 400_000, 75_712);
    assertArrayEquals(whole, parts);
    assertFalse(Arrays.equals(whole, take(StreamData.generated(2), 1_000_000)), "seed");
  }

  @Test
  void fileRepeats() throws IOException {
    Path file = Files.write(folder.resolve("f"), new byte[] {1, 2, 3, 4, 5});
    try (StreamData data = StreamData.file(file)) {
      assertArrayEquals(new byte[] {1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1, 2}, take(data, 3, 4, 5));
    }
  }

  @Test
  void unusableFilesAreNamed() throws IOException {
    Path empty = Files.createFile(folder.resolve("empty"));
    for (Path path : new Path[] {folder.resolve("missing"), folder, empty}) {
      ToolException e = assertThrows(ToolException.class, () -> StreamData.checkFile(path));
      assertEquals(ToolException.USAGE, e.exitCode());
      assertTrue(e.getMessage().contains(path.toString()), e.getMessage());
      assertTrue(e.getMessage().contains("--file"), e.getMessage());
    }
  }
}
