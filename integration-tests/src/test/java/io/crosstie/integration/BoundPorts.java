// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Which UDP ports a process has, as the kernel tells. Linux. */
final class BoundPorts {
  private BoundPorts() {}

  /** All of them, each once: several sockets may share a port. */
  static List<Integer> udp(long pid) {
    List<Integer> ports = new ArrayList<>();
    try (var entries = Files.newDirectoryStream(Path.of("/proc/" + pid + "/fd"))) {
      List<String> inodes = new ArrayList<>();
      for (Path entry : entries) {
        String target = target(entry);
        if (target.startsWith("socket:[")) {
          inodes.add(target.substring(8, target.length() - 1));
        }
      }
      for (String table : List.of("udp", "udp6")) {
        List<String> lines = Files.readAllLines(Path.of("/proc/" + pid + "/net/" + table));
        for (String line : lines.subList(1, lines.size())) {
          String[] fields = line.strip().split(" +", -1);
          if (inodes.contains(fields[9])) {
            ports.add(Integer.parseInt(fields[1].substring(fields[1].indexOf(':') + 1), 16));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return ports.stream().distinct().toList();
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException e) {
      return ""; // closed meanwhile
    }
  }

  /** The only one. */
  static int udp(long pid, String description) {
    List<Integer> ports = udp(pid);
    if (ports.size() != 1) {
      throw new AssertionError("ports " + ports + " of " + description);
    }
    return ports.getFirst();
  }
}
