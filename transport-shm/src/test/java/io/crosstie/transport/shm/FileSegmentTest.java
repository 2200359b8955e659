// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Interrupts;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are files, on a thread of an application that interrupts it. */
final class FileSegmentTest {
  private static final long RING_BYTES = 1 << 20;

  @Test
  @SuppressWarnings("try") // they come beside it
  void interruptsAtAnyMomentEndNone(@TempDir Path folder) throws Exception {
    int uid = PortDirectory.uid(folder);
    try (var interrupts = new Interrupts(Thread.currentThread())) {
      for (int i = 0; i < 50; i++) {
        Path file = folder.resolve("seg-" + i);
        FileSegment made = FileSegment.create(file, RING_BYTES, i);
        FileSegment mapped = FileSegment.open(file, RING_BYTES, i, uid);
        assertFalse(made.truncated());
        assertFalse(mapped.truncated());
        if (i % 10 == 0) {
          try (var whole = new RandomAccessFile(file.toFile(), "rw")) {
            whole.setLength(SegmentLayout.totalBytes(RING_BYTES) - 1);
          }
          assertTrue(made.truncated());
          assertTrue(mapped.truncated());
        }
        made.mappedByBoth();
        assertFalse(Files.exists(file));
        made.close();
        mapped.close();
      }
    }
    assertTrue(Thread.interrupted(), "the flag is the application's");
    try (var files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }
}
