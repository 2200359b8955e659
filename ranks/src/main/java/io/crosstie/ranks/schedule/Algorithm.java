// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import io.crosstie.ranks.schedule.Mark.Kind;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A way to do a collective operation, where there are several. */
public enum Algorithm {
  /** Each step is to a rank twice as far away. */
  DISSEMINATION(Kind.BARRIER),
  /** A binomial tree. */
  BINOMIAL(Kind.BCAST, Kind.REDUCE),
  /** Parts of it down a binomial tree, and then along a ring. */
  SCATTER_ALLGATHER(Kind.BCAST),
  /** Recursive doubling. */
  DOUBLING(Kind.ALLREDUCE),
  /** Recursive halving, and doubling. */
  HALVING(Kind.ALLREDUCE),
  /** Along a ring. */
  RING(Kind.ALLREDUCE, Kind.ALLGATHER),
  /** Twice as many parts at each step, in rank order at the end. */
  BRUCK(Kind.ALLGATHER),
  /**
   * Inside each host, and among one rank of each host, where that is one of the others; where no
   * ranks share a host it is not there.
   */
  TWO_LEVEL(Kind.BARRIER, Kind.BCAST, Kind.REDUCE, Kind.ALLREDUCE, Kind.ALLGATHER);

  @SuppressWarnings("ImmutableEnumChecker") // it is not changed
  private final List<Kind> operations;

  Algorithm(Kind... operations) {
    this.operations = List.of(operations);
  }

  boolean isFor(Kind operation) {
    return operations.contains(operation);
  }

  /** Its name in text. */
  String option() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** For each operation where there are several, their names in text. */
  public static Map<String, List<String>> choices() {
    Map<String, List<String>> all = new LinkedHashMap<>();
    for (Kind kind : Kind.values()) {
      List<String> options = options(kind);
      if (!options.isEmpty()) {
        List<String> unused = all.put(kind.toString(), options);
      }
    }
    return all;
  }

  /** Those for an operation, by their names in text. */
  static List<String> options(Kind operation) {
    return Arrays.stream(values())
        .filter(each -> each.isFor(operation))
        .map(Algorithm::option)
        .toList();
  }
}
