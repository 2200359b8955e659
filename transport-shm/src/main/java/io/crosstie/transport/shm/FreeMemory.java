// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How much memory this process may still take: what the system has available, and in a container
 * what its control group leaves. Sealed memory counts against both, and what exceeds them is not
 * refused but ends some process.
 */
final class FreeMemory {
  private static final Path SYSTEM = Path.of("/proc/meminfo");
  private static final Path GROUP = Path.of("/sys/fs/cgroup");
  private static final String AVAILABLE = "MemAvailable:";

  private FreeMemory() {}

  /** In bytes; Long.MAX_VALUE where nothing tells. */
  static long bytes() {
    return bytes(SYSTEM, GROUP);
  }

  /** With files of the test's own. */
  static long bytes(Path system, Path group) {
    long limit = number(group.resolve("memory.max"));
    long used = number(group.resolve("memory.current"));
    long inGroup = limit < 0 || used < 0 ? Long.MAX_VALUE : Math.max(0, limit - used);
    return Math.min(inGroup, available(system));
  }

  private static long available(Path system) {
    try {
      for (String line : Files.readAllLines(system, StandardCharsets.US_ASCII)) {
        if (line.startsWith(AVAILABLE)) {
          String digits = line.replaceAll("[^0-9]", "");
          return Long.parseLong(digits) << 10; // the file is in KiB
        }
      }
    } catch (IOException | NumberFormatException e) {
      // another system
    }
    return Long.MAX_VALUE;
  }

  /** -1 if there is none, which is also how a group without a limit says so ("max"). */
  private static long number(Path file) {
    try {
      return Long.parseLong(Files.readString(file, StandardCharsets.US_ASCII).strip());
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
  }
}
