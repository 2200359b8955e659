// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Which ranks of a communicator share a host. Hosts are numbers in the order of their lowest ranks.
 * Where that is not known, or where it makes no difference, since no rank shares its host with
 * another one or all ranks share one, there are none. Immutable.
 */
public final class Hosts {
  private static final Hosts NONE = new Hosts(new int[0], new int[0][]);

  private final int[] hostOf;
  private final int[][] ranksOf;

  /** In front of the ranks of each host in the order of hosts. */
  private final int[] before;

  private final boolean inOrder;

  private Hosts(int[] hostOf, int[][] ranksOf) {
    this.hostOf = hostOf;
    this.ranksOf = ranksOf;
    this.before = new int[ranksOf.length];
    boolean consecutive = true;
    int count = 0;
    for (int host = 0; host < ranksOf.length; host++) {
      before[host] = count;
      count += ranksOf[host].length;
      consecutive &= ranksOf[host][ranksOf[host].length - 1] == count - 1;
    }
    this.inOrder = consecutive;
  }

  /** Nothing is known of them. */
  public static Hosts none() {
    return NONE;
  }

  /**
   * By their names.
   *
   * @param names that of each rank; where one is empty, or none are there, nothing is known
   */
  public static Hosts named(List<String> names) {
    if (names.contains("")) {
      return NONE;
    }
    Map<String, Integer> numbers = new HashMap<>();
    int[] all = new int[names.size()];
    for (int rank = 0; rank < all.length; rank++) {
      Integer known = numbers.putIfAbsent(names.get(rank), numbers.size());
      all[rank] = known == null ? numbers.size() - 1 : known;
    }
    return of(all);
  }

  /** By numbers, any that are the same for ranks that share a host. */
  public static Hosts of(int[] numbers) {
    Map<Integer, Integer> hosts = new HashMap<>();
    int[] hostOf = new int[numbers.length];
    for (int rank = 0; rank < numbers.length; rank++) {
      Integer known = hosts.putIfAbsent(numbers[rank], hosts.size());
      hostOf[rank] = known == null ? hosts.size() - 1 : known;
    }
    if (hosts.size() < 2 || hosts.size() == numbers.length) {
      return NONE;
    }
    int[] counts = new int[hosts.size()];
    for (int host : hostOf) {
      counts[host]++;
    }
    int[][] ranksOf = new int[counts.length][];
    Arrays.setAll(ranksOf, host -> new int[counts[host]]);
    for (int rank = numbers.length - 1; rank >= 0; rank--) {
      ranksOf[hostOf[rank]][--counts[hostOf[rank]]] = rank;
    }
    return new Hosts(hostOf, ranksOf);
  }

  /**
   * Of a communicator of some of these ranks.
   *
   * @param members their numbers here, in the order of those that they have there
   */
  public Hosts among(int[] members) {
    return areShared() ? of(Arrays.stream(members).map(this::host).toArray()) : NONE;
  }

  /** Whether there are at least two, and one of them has at least two ranks. */
  public boolean areShared() {
    return ranksOf.length > 0;
  }

  /** Whether the ranks of each host follow one another. */
  public boolean isInOrder() {
    return inOrder;
  }

  /** How many there are. */
  public int count() {
    return ranksOf.length;
  }

  /** That of a rank. */
  int host(int rank) {
    return hostOf[rank];
  }

  /** The ranks of a host, in their order; not to be changed. */
  int[] ranks(int host) {
    return ranksOf[host];
  }

  /** How many ranks there are on hosts of lower numbers. */
  int before(int host) {
    return before[host];
  }

  /** Whether all have as many ranks. */
  boolean areEven() {
    return Arrays.stream(ranksOf).allMatch(ranks -> ranks.length == ranksOf[0].length);
  }

  /** One rank of each host: its lowest, but of its own host that one. */
  int[] leaders(int one) {
    int[] leaders = new int[ranksOf.length];
    Arrays.setAll(leaders, host -> ranksOf[host][0]);
    leaders[hostOf[one]] = one;
    return leaders;
  }

  /** What all ranks have to agree on, in a word or two; empty if there are none. */
  @Override
  public String toString() {
    return areShared()
        ? "ranks on " + ranksOf.length + " hosts " + Integer.toHexString(Arrays.hashCode(hostOf))
        : "";
  }
}
