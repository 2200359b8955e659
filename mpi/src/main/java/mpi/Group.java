// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;

/** An ordered set of processes. */
public class Group implements Freeable {
  /** Numbers in the world; null once it was freed. */
  private int[] members;

  Group(int... members) {
    this.members = members;
  }

  int[] members() {
    if (members == null) {
      throw MPIException.of(MPI.ERR_GROUP, "the group was freed");
    }
    return members;
  }

  /** The rank here of a process of the world, MPI.UNDEFINED if it is no member. */
  int rankOf(int worldRank) {
    int[] all = members();
    for (int i = 0; i < all.length; i++) {
      if (all[i] == worldRank) {
        return i;
      }
    }
    return MPI.UNDEFINED;
  }

  /** How many processes it has. */
  public int getSize() {
    return members().length;
  }

  /** {@link #getSize}. */
  public int Size() {
    return getSize();
  }

  /** This process's rank in it, or MPI.UNDEFINED. */
  public int getRank() {
    return rankOf(MPI.world().rank());
  }

  /** {@link #getRank}. */
  public int Rank() {
    return getRank();
  }

  @Override
  public void free() {
    if (this == MPI.GROUP_EMPTY) {
      throw MPIException.of(MPI.ERR_GROUP, "MPI.GROUP_EMPTY cannot be freed");
    }
    members = null;
  }

  /** {@link #free}. */
  public void Free() {
    free();
  }

  /** Whether it was freed. */
  public boolean isNull() {
    return members == null;
  }

  /** {@link #isNull}. */
  public boolean Is_null() {
    return isNull();
  }

  /** The ranks that processes of one group have in another. */
  public static int[] translateRanks(Group group1, int[] ranks1, Group group2) {
    Group in = Checks.group(group2);
    Group from = Checks.group(group1);
    int[] result = new int[Checks.array(ranks1, "ranks").length];
    for (int i = 0; i < result.length; i++) {
      result[i] =
          ranks1[i] == MPI.PROC_NULL
              ? MPI.PROC_NULL
              : in.rankOf(from.members()[from.check(ranks1[i])]);
    }
    return result;
  }

  /** {@link #translateRanks}. */
  public static int[] Translate_ranks(Group group1, int[] ranks1, Group group2) {
    return translateRanks(group1, ranks1, group2);
  }

  /** MPI.IDENT, SIMILAR (in another order) or UNEQUAL. */
  public static int compare(Group group1, Group group2) {
    if (Arrays.equals(Checks.group(group1).members(), Checks.group(group2).members())) {
      return MPI.IDENT;
    }
    int[] one = group1.members().clone();
    int[] other = group2.members().clone();
    Arrays.sort(one);
    Arrays.sort(other);
    return Arrays.equals(one, other) ? MPI.SIMILAR : MPI.UNEQUAL;
  }

  /** {@link #compare}. */
  public static int Compare(Group group1, Group group2) {
    return compare(group1, group2);
  }

  private static Set<Integer> set(Group group) {
    Set<Integer> set = new LinkedHashSet<>();
    for (int member : Checks.group(group).members()) {
      set.add(member);
    }
    return set;
  }

  private static Group of(Set<Integer> set) {
    return new Group(set.stream().mapToInt(i -> i).toArray());
  }

  /** All of the first one, and then those of the second that it has not. */
  public static Group union(Group group1, Group group2) {
    Set<Integer> set = set(group1);
    set.addAll(set(group2));
    return of(set);
  }

  /** {@link #union}. */
  public static Group Union(Group group1, Group group2) {
    return union(group1, group2);
  }

  /** Those of the first one that are in the second, too. */
  public static Group intersection(Group group1, Group group2) {
    Set<Integer> set = set(group1);
    set.retainAll(set(group2));
    return of(set);
  }

  /** {@link #intersection}. */
  public static Group Intersection(Group group1, Group group2) {
    return intersection(group1, group2);
  }

  /** Those of the first one that are not in the second. */
  public static Group difference(Group group1, Group group2) {
    Set<Integer> set = set(group1);
    set.removeAll(set(group2));
    return of(set);
  }

  /** {@link #difference}. */
  public static Group Difference(Group group1, Group group2) {
    return difference(group1, group2);
  }

  private int check(int rank) {
    if (rank < 0 || rank >= members().length) {
      throw MPIException.of(
          MPI.ERR_RANK, "rank " + rank + " is none of 0 to " + (members().length - 1));
    }
    return rank;
  }

  /** Some of its processes, in the order of their ranks here as they are named. */
  public Group incl(int[] ranks) {
    Set<Integer> set = new LinkedHashSet<>();
    for (int rank : Checks.array(ranks, "ranks")) {
      if (!set.add(members()[check(rank)])) {
        throw MPIException.of(MPI.ERR_RANK, "rank " + rank + " is named twice");
      }
    }
    return of(set);
  }

  /** {@link #incl}. */
  public Group Incl(int[] ranks) {
    return incl(ranks);
  }

  /** All but some of its processes. */
  public Group excl(int[] ranks) {
    return difference(this, incl(ranks));
  }

  /** {@link #excl}. */
  public Group Excl(int[] ranks) {
    return excl(ranks);
  }

  /** Of ranges; a rank that there is not is told before the next one is counted. */
  private int[] ranks(int[][] ranges) {
    int[] all = new int[16];
    int count = 0;
    for (int[] range : Checks.array(ranges, "ranges")) {
      if (range == null || range.length != 3 || range[2] == 0) {
        throw MPIException.of(MPI.ERR_ARG, "a range is first, last and a stride that is not 0");
      }
      long stride = range[2];
      for (long i = range[0]; stride > 0 ? i <= range[1] : i >= range[1]; i += stride) {
        if (count == all.length) {
          all = Arrays.copyOf(all, 2 * count);
        }
        all[count++] = check((int) i);
      }
    }
    return Arrays.copyOf(all, count);
  }

  /** {@link #incl} of ranges, each first, last and stride. */
  public Group rangeIncl(int[][] ranges) {
    return incl(ranks(ranges));
  }

  /** {@link #rangeIncl}. */
  public Group Range_incl(int[][] ranges) {
    return rangeIncl(ranges);
  }

  /** {@link #excl} of ranges, each first, last and stride. */
  public Group rangeExcl(int[][] ranges) {
    return excl(ranks(ranges));
  }

  /** {@link #rangeExcl}. */
  public Group Range_excl(int[][] ranges) {
    return rangeExcl(ranges);
  }
}
