// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import io.crosstie.ranks.schedule.Mark.Kind;
import java.util.Arrays;

/**
 * Decides for each operation of some ranks whether it is done on one level or, where they share
 * hosts, on two, and by which algorithm; what the ranks send says so. Immutable.
 */
public final class Levels {
  /** What one rank does in an operation, on one level or on two. */
  public interface Way {
    /**
     * Makes it.
     *
     * @param algorithm of all ranks; on two levels, of the one of each host
     */
    Schedule by(Algorithm algorithm);
  }

  private final AlgorithmTable algorithms;
  private final int ranks;
  private final Hosts hosts;

  /** Of so many ranks. */
  public Levels(AlgorithmTable algorithms, int ranks, Hosts hosts) {
    this.algorithms = algorithms;
    this.ranks = ranks;
    this.hosts = hosts;
  }

  /**
   * An operation.
   *
   * @param bytes of each rank
   * @param details what it is told apart by, see {@link Mark}
   */
  public Schedule choose(Kind kind, long bytes, Way onOne, Way onTwo, Object... details) {
    return choose(kind, bytes, hosts.areShared(), onOne, onTwo, details);
  }

  /**
   * A reduction.
   *
   * @param bytes of each rank
   * @param details what it is told apart by, see {@link Mark}
   */
  public Schedule chooseReduction(
      Kind kind, long bytes, Combiner combiner, Way onOne, Way onTwo, Object... details) {
    boolean canBeOnTwo = hosts.areShared() && TwoLevels.isFor(hosts, combiner);
    return choose(kind, bytes, canBeOnTwo, onOne, onTwo, details);
  }

  private Schedule choose(
      Kind kind, long bytes, boolean canBeOnTwo, Way onOne, Way onTwo, Object... details) {
    Algorithm algorithm = algorithms.choose(kind, ranks, bytes, canBeOnTwo);
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? onTwo.by(algorithms.choose(kind, hosts.count(), leaderBytes(kind, bytes)))
            : onOne.by(algorithm);
    Object[] marked = Arrays.copyOf(details, details.length + 1);
    marked[details.length] = algorithm;
    return schedule.marked(Mark.of(kind, marked));
  }

  /** On two levels, of the one of each host: what all of its host have together, where that is. */
  private long leaderBytes(Kind kind, long bytes) {
    return kind == Kind.ALLGATHER ? bytes * ranks / hosts.count() : bytes;
  }
}
