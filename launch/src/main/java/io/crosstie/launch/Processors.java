// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The processors that this process may use, and how ranks share them. */
final class Processors {
  private static final String ALLOWED = "Cpus_allowed_list:";

  private Processors() {}

  /** By their numbers, in order. */
  static List<Integer> allowed() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith(ALLOWED)) {
        return parse(line.substring(ALLOWED.length()).strip());
      }
    }
    throw new IOException("the system does not tell which processors this process may use");
  }

  /** Reads {@code 0-3,8}. */
  static List<Integer> parse(String list) {
    List<Integer> all = new ArrayList<>();
    for (String range : list.split(",", -1)) {
      String[] ends = range.split("-", 2);
      for (int i = Integer.parseInt(ends[0]); i <= Integer.parseInt(ends[ends.length - 1]); i++) {
        all.add(i);
      }
    }
    return all;
  }

  /** A rank's share, as taskset(1) reads it: neighbours, and one at least. */
  static String share(List<Integer> processors, int rank, int ranks) {
    int each = Math.max(1, processors.size() / ranks);
    int from = rank * each % processors.size();
    return processors.subList(from, Math.min(processors.size(), from + each)).stream()
        .map(String::valueOf)
        .collect(Collectors.joining(","));
  }
}
