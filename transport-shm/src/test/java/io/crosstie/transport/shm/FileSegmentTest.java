// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are files, on a thread of an application that interrupts it. */
final class FileSegmentTest {
  private static final long RING_BYTES = 1 << 20;

  @Test
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void interruptsAtAnyMomentEndNone(@TempDir Path folder) throws Exception {
    int uid = PortDirectory.uid(folder);
    Thread target = Thread.currentThread();
    AtomicBoolean over = new AtomicBoolean();
    Thread interrupting =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    target.interrupt();
                    Thread.yield();
                  }
                });
    try {
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
    } finally {
      over.set(true);
      while (interrupting.isAlive()) {
        Thread.yield();
      }
      assertTrue(Thread.interrupted(), "the flag is the application's");
    }
    try (var files = Files.list(folder)) {
      assertEquals(0, files.count());
    }
  }
}
