// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The segments of shared memory of a process, as anybody of the same user sees them: files without
 * a name any more, but with a descriptor, or memory that never had one.
 */
final class Segments {
  private static final String NAME = "/crosstie-";
  private static final String DELETED = " (deleted)";

  private static final String MEMORY = "memfd:crosstie-";
  private static final int BLOCK = 64 << 10;

  private Segments() {}

  /**
   * Makes all of them useless: truncates files, and fills with ones what cannot be truncated.
   *
   * @param afterNs to wait before
   * @throws CaseException if there is none, or it cannot be done
   */
  static void spoil(ProcessHandle process, long afterNs) {
    long dueNs = System.nanoTime() + afterNs;
    for (long leftNs = afterNs; leftNs > 0; leftNs = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
    int spoiled = 0;
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      for (Path entry : entries.toList()) {
        if (isSegment(entry)) {
          try (FileChannel channel = FileChannel.open(entry, StandardOpenOption.WRITE)) {
            FileChannel unused = channel.truncate(0);
          }
          spoiled++;
        }
      }
      spoiled += fill(process.pid());
    } catch (IOException e) {
      throw new CaseException("a segment cannot be spoiled: " + e.getMessage(), e);
    }
    if (spoiled == 0) {
      throw new CaseException("there is no segment to spoil");
    }
  }

  /** Fills sealed memory where the process has mapped it. */
  private static int fill(long pid) throws IOException {
    byte[] ones = new byte[BLOCK];
    Arrays.fill(ones, (byte) -1);
    int filled = 0;
    try (FileChannel memory =
        FileChannel.open(Path.of("/proc/" + pid + "/mem"), StandardOpenOption.WRITE)) {
      for (String line : Files.readAllLines(Path.of("/proc/" + pid + "/maps"))) {
        if (line.contains(MEMORY)) {
          String[] range = line.substring(0, line.indexOf(' ')).split("-", 2);
          fill(memory, Long.parseLong(range[0], 16), Long.parseLong(range[1], 16), ones);
          filled++;
        }
      }
    }
    return filled;
  }

  private static void fill(FileChannel memory, long from, long to, byte[] ones) throws IOException {
    for (long at = from; at < to; at += ones.length) {
      ByteBuffer part = ByteBuffer.wrap(ones, 0, (int) Math.min(ones.length, to - at));
      try {
        int unused = memory.write(part, at);
      } catch (IOException e) {
        if (at > from) {
          return; // noticed, and unmapped
        }
        throw e;
      }
    }
  }

  private static boolean isSegment(Path entry) {
    try {
      String target = Files.readSymbolicLink(entry).toString();
      return target.contains(NAME) && target.endsWith(DELETED);
    } catch (IOException e) {
      return false; // closed meanwhile
    }
  }
}
