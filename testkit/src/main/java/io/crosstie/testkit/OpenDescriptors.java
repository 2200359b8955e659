// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.testkit;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a process has open, for tests of what is left open. A count would not do: what another
 * thread closes may have been a part of the first one, and the JVM opens files of its own when it
 * likes. Linux.
 */
public final class OpenDescriptors {
  private static final Path ALL = Path.of("/proc/self/fd");

  /** Where files of tests are: in folders, in memory, and in none. */
  private static final List<String> TEMPORARY =
      List.of(System.getProperty("java.io.tmpdir") + "/", "/dev/shm/", "/memfd:");

  private OpenDescriptors() {}

  /**
   * Numbers of sockets, memory and the like, and of files in temporary folders, and what they lead
   * to.
   */
  public static Set<String> now() throws IOException {
    Set<String> found = new TreeSet<>();
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(ALL)) {
      for (Path descriptor : descriptors) {
        String what = target(descriptor);
        if (!what.isEmpty()
            && (!what.startsWith("/") || TEMPORARY.stream().anyMatch(what::startsWith))) {
          boolean unused = found.add(descriptor.getFileName() + " " + what);
        }
      }
    }
    return found;
  }

  /** Those of now that were not there before. */
  public static Set<String> since(Set<String> before) throws IOException {
    Set<String> now = now();
    now.removeAll(before);
    return now;
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }
}
