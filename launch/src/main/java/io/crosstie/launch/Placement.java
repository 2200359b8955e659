// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which ranks of a job share a host, and what their hosts are called.
 *
 * @param hosts the number of each rank's host, the same for ranks that share one; empty if that is
 *     not known of all ranks
 * @param names what the host of each rank is called, for a person; "" where that is not known, and
 *     empty where it is known of none. Nothing that was made up stands here
 */
public record Placement(List<Integer> hosts, List<String> names) {
  /** Nothing is known. */
  public static final Placement UNKNOWN = new Placement(List.of(), List.of());

  /** So that a line with a separator stays well below what a line may have. */
  private static final int MOST_CHARACTERS = 8_000;

  /** Copies what could change. */
  public Placement {
    hosts = List.copyOf(hosts);
    names = List.copyOf(names);
  }

  /** By what people call the hosts; "" where a name is not known. */
  static Placement named(List<String> names) {
    Map<String, Integer> numbers = new HashMap<>();
    List<Integer> hosts = new ArrayList<>();
    for (String name : names) {
      Integer known = numbers.putIfAbsent(name, numbers.size());
      hosts.add(known == null ? numbers.size() - 1 : known);
    }
    return new Placement(names.contains("") ? List.of() : hosts, names);
  }

  /** By numbers alone. */
  static Placement numbered(List<Integer> hosts) {
    return new Placement(hosts, List.of());
  }

  /** What a rank's host is called, for a person; "" if that is not known. */
  String name(int rank) {
    return rank < names.size() ? names.get(rank) : "";
  }

  /**
   * The numbers as words {@code host*ranks}, in lines of many words; none where all ranks share one
   * host or each has its own, since that is as good as unknown.
   */
  List<String> lines() {
    long different = hosts.stream().distinct().count();
    List<String> lines = new ArrayList<>();
    if (different < 2 || different == hosts.size()) {
      return lines;
    }
    StringBuilder line = new StringBuilder();
    for (int rank = 0, next; rank < hosts.size(); rank = next) {
      int host = hosts.get(rank);
      next = rank + 1;
      while (next < hosts.size() && hosts.get(next) == host) {
        next++;
      }
      if (line.length() > MOST_CHARACTERS) {
        lines.add(line.toString());
        line.setLength(0);
      }
      StringBuilder unused =
          line.append(line.isEmpty() ? "" : " ").append(host).append('*').append(next - rank);
    }
    lines.add(line.toString());
    return lines;
  }

  /**
   * Reads the numbers of a job of that many ranks from the lines; no line says that nothing is
   * known.
   *
   * @throws IllegalArgumentException if they say something else
   */
  static Placement parse(List<String> lines, int size) {
    List<Integer> hosts = new ArrayList<>();
    for (String line : lines) {
      for (String word : line.split(" ", -1)) {
        String[] numbers = word.split("\\*", 2);
        int ranks = numbers.length < 2 ? 0 : Integer.parseInt(numbers[1]);
        if (ranks < 1 || ranks > size - hosts.size()) {
          throw new IllegalArgumentException("\"" + word + "\" in a job of " + size);
        }
        hosts.addAll(Collections.nCopies(ranks, Integer.valueOf(numbers[0])));
      }
    }
    if (!lines.isEmpty() && hosts.size() != size) {
      throw new IllegalArgumentException(hosts.size() + " hosts in a job of " + size);
    }
    return numbered(hosts);
  }
}
