// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * The segments of shared memory that a process has open, as anybody of the same user sees them:
 * without a name any more, but with a descriptor.
 */
final class Segments {
  private static final String NAME = "/crosstie-";
  private static final String DELETED = " (deleted)";

  private Segments() {}

  /**
   * Takes the memory of all of them away.
   *
   * @param afterNs to wait before
   * @throws CaseException if there is none, or it cannot be done
   */
  static void truncate(ProcessHandle process, long afterNs) {
    long dueNs = System.nanoTime() + afterNs;
    for (long leftNs = afterNs; leftNs > 0; leftNs = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
    int truncated = 0;
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + process.pid() + "/fd"))) {
      for (Path entry : entries.toList()) {
        if (isSegment(entry)) {
          try (FileChannel channel = FileChannel.open(entry, StandardOpenOption.WRITE)) {
            FileChannel unused = channel.truncate(0);
          }
          truncated++;
        }
      }
    } catch (IOException e) {
      throw new CaseException("a segment cannot be truncated: " + e.getMessage(), e);
    }
    if (truncated == 0) {
      throw new CaseException("there is no segment to truncate");
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
