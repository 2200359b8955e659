// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

/**
 * What the messages of a collective operation say of it, in 16 bits, so that ranks which do not
 * call the same are told where they meet: which operation in the upper five, and in the others
 * something of the root, the operation of a reduction, the type, the algorithm.
 */
public final class Mark {
  private static final int DETAIL_BITS = 11;

  /** Which collective operation. */
  public enum Kind {
    /** One that does not say. */
    NONE(0, "something else"),
    /** Barrier. */
    BARRIER(1, "barrier"),
    /** Broadcast. */
    BCAST(2, "bcast"),
    /** Reduction to one. */
    REDUCE(3, "reduce"),
    /** Reduction to all. */
    ALLREDUCE(4, "allreduce"),
    /** Reduction of which each gets a part. */
    REDUCE_SCATTER(5, "reduceScatter"),
    /** Reduction of what those before have. */
    SCAN(6, "scan"),
    /** The same without one's own. */
    EXSCAN(7, "exscan"),
    /** All to one. */
    GATHER(8, "gather"),
    /** One to all. */
    SCATTER(9, "scatter"),
    /** All to all, the same. */
    ALLGATHER(10, "allgather"),
    /** All to all, to each its own. */
    ALLTOALL(11, "alltoall"),
    /** Among neighbours. */
    NEIGHBOR_ALLTOALL(12, "neighborAlltoallv"),
    /** In place of any of them, from a rank that cannot do its part. */
    FAILED(31, "nothing, since it has failed");

    private final int number;
    private final String text;

    Kind(int number, String text) {
      this.number = number;
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Of a message without the data that is due, since its sender has failed. */
  static final int OF_FAILED = of(Kind.FAILED);

  private Mark() {}

  /** Of an operation; details that differ give another mark as a rule. */
  public static int of(Kind kind, Object... details) {
    int hash = 17;
    for (Object each : details) {
      hash = hash * 0x9E3779B1 + each.toString().hashCode();
    }
    hash ^= (hash >>> DETAIL_BITS) ^ (hash >>> (2 * DETAIL_BITS));
    return (kind.number << DETAIL_BITS) | (hash & ((1 << DETAIL_BITS) - 1));
  }

  /** Of what operation it is. */
  static Kind kind(int mark) {
    for (Kind each : Kind.values()) {
      if (each.number == mark >>> DETAIL_BITS) {
        return each;
      }
    }
    return Kind.NONE;
  }

  /** What differs between a message and what was expected. */
  static String differ(int rank, int its, int mine) {
    String more =
        kind(its) == kind(mine) ? ", with another root, operation, type or algorithm" : "";
    return "the ranks do not call the same collective operations in the same order: rank "
        + rank
        + " calls "
        + kind(its)
        + " where this one calls "
        + kind(mine)
        + more;
  }
}
