// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How much processor this process may use.
 *
 * @param processors as the JVM sees them
 * @param quota whether a cgroup limits the time on them
 */
record CpuBudget(int processors, boolean quota) {
  /** With fewer, a thread that spins takes the processor from the one that it waits for. */
  private static final int LEAST_TO_SPIN = 3;

  private static final CpuBudget THIS_PROCESS =
      new CpuBudget(Runtime.getRuntime().availableProcessors(), hasQuota(Path.of("/")));

  static CpuBudget ofThisProcess() {
    return THIS_PROCESS;
  }

  boolean maySpin() {
    return processors >= LEAST_TO_SPIN && !quota;
  }

  /**
   * Whether a cgroup of this process or one above it has a quota, read below that root of a file
   * system.
   */
  static boolean hasQuota(Path root) {
    for (String line : lines(root.resolve("proc/self/cgroup"))) {
      String[] parts = line.split(":", 3); // hierarchy, controllers, path
      if (parts.length == 3 && parts[1].isEmpty()) {
        if (limited(root.resolve("sys/fs/cgroup"), parts[2], "cpu.max", "max")) {
          return true;
        }
      } else if (parts.length == 3 && List.of(parts[1].split(",")).contains("cpu")) {
        if (limited(root.resolve("sys/fs/cgroup/cpu"), parts[2], "cpu.cfs_quota_us", "-1")) {
          return true;
        }
      }
    }
    return false;
  }

  /**
   * Looks in the cgroup and in all above it; in a container the path may be that of the host, which
   * is not there.
   */
  private static boolean limited(Path mount, String group, String file, String unlimited) {
    try {
      Path directory = mount.resolve(group.replaceFirst("^/+", "")).normalize();
      while (directory != null && directory.startsWith(mount)) {
        List<String> lines = lines(directory.resolve(file));
        if (!lines.isEmpty() && !lines.getFirst().startsWith(unlimited)) {
          return true;
        }
        directory = directory.getParent();
      }
    } catch (InvalidPathException e) {
      // no cgroup that could be read
    }
    return false;
  }

  private static List<String> lines(@Nullable Path file) {
    try {
      return file == null ? List.of() : Files.readAllLines(file);
    } catch (IOException e) {
      return List.of(); // not Linux, or not mounted
    }
  }

  @Override
  public String toString() {
    return processors + " processors" + (quota ? " with a quota" : "");
  }
}
