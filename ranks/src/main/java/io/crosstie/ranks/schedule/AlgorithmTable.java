// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import io.crosstie.ranks.schedule.Mark.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Which algorithm is taken, by the number of ranks and of bytes. Immutable. */
public final class AlgorithmTable {
  private static final AlgorithmTable USUAL =
      new AlgorithmTable(
          List.of(
              new Row(Kind.BARRIER, 1, 0, Algorithm.DISSEMINATION),
              new Row(Kind.BARRIER, 1, 0, Algorithm.TWO_LEVEL),
              new Row(Kind.BCAST, 1, 0, Algorithm.BINOMIAL),
              new Row(Kind.BCAST, 8, 512 << 10, Algorithm.SCATTER_ALLGATHER),
              new Row(Kind.BCAST, 1, 0, Algorithm.TWO_LEVEL),
              new Row(Kind.REDUCE, 1, 0, Algorithm.BINOMIAL),
              new Row(Kind.REDUCE, 1, 0, Algorithm.TWO_LEVEL),
              new Row(Kind.ALLREDUCE, 1, 0, Algorithm.DOUBLING),
              new Row(Kind.ALLREDUCE, 3, 64 << 10, Algorithm.RING),
              new Row(Kind.ALLREDUCE, 1, 0, Algorithm.TWO_LEVEL),
              new Row(Kind.ALLGATHER, 1, 0, Algorithm.RING),
              new Row(Kind.ALLGATHER, 3, 0, Algorithm.BRUCK),
              new Row(Kind.ALLGATHER, 3, (2 << 10) + 1, Algorithm.RING),
              new Row(Kind.ALLGATHER, 1, 0, Algorithm.TWO_LEVEL)));

  /**
   * From so many ranks and so many bytes of each on; of those that fit the last one counts. One of
   * two levels fits only where ranks share hosts, and so leaves those before it in place.
   */
  private record Row(Kind operation, int ranks, long bytes, Algorithm algorithm) {}

  private final List<Row> rows;

  private AlgorithmTable(List<Row> rows) {
    this.rows = List.copyOf(rows);
  }

  /** What is taken where nobody says otherwise. */
  public static AlgorithmTable usual() {
    return USUAL;
  }

  /**
   * Another one, for the operations that a text names.
   *
   * @param text {@code operation=algorithm}, or {@code operation@bytes=algorithm} from so many
   *     bytes on; several with commas between them
   * @throws IllegalArgumentException naming what there is
   */
  public AlgorithmTable with(String text) {
    List<Row> named = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      named.add(row(each.strip()));
    }
    List<Row> all = new ArrayList<>(rows);
    boolean unused =
        all.removeIf(
            row ->
                named.stream()
                    .anyMatch(
                        by ->
                            by.operation == row.operation
                                && by.algorithm != Algorithm.TWO_LEVEL
                                && row.bytes >= by.bytes));
    all.addAll(named);
    return new AlgorithmTable(all);
  }

  private static Row row(String text) {
    int is = text.indexOf('=');
    int at = text.indexOf('@');
    if (is < 0 || at > is) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is no choice of an algorithm; write allreduce=ring, or"
              + " allreduce@65536=ring from so many bytes on");
    }
    String name = text.substring(0, at < 0 ? is : at).strip();
    Kind operation =
        Arrays.stream(Kind.values())
            .filter(kind -> kind.toString().equals(name) && !Algorithm.options(kind).isEmpty())
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "there is nothing to choose for \""
                            + name
                            + "\", but for "
                            + String.join(", ", Algorithm.choices().keySet())));
    String option = text.substring(is + 1).strip();
    Algorithm algorithm =
        Arrays.stream(Algorithm.values())
            .filter(each -> each.isFor(operation) && each.option().equals(option))
            .findFirst()
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "\""
                            + option
                            + "\" is no algorithm for "
                            + name
                            + "; there are "
                            + String.join(", ", Algorithm.options(operation))));
    return new Row(operation, 1, at < 0 ? 0 : bytes(text.substring(at + 1, is).strip()), algorithm);
  }

  private static long bytes(String text) {
    try {
      return Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("\"" + text + "\" is no number of bytes", e);
    }
  }

  /** The one for an operation of ranks that share no hosts, or of one of each host. */
  public Algorithm choose(Kind operation, int ranks, long bytes) {
    return choose(operation, ranks, bytes, false);
  }

  /**
   * The one for an operation.
   *
   * @param hostsAreShared whether it can be on two levels
   */
  public Algorithm choose(Kind operation, int ranks, long bytes, boolean hostsAreShared) {
    for (Row row : rows.reversed()) {
      boolean fits = hostsAreShared || row.algorithm != Algorithm.TWO_LEVEL;
      if (fits && row.operation == operation && ranks >= row.ranks && bytes >= row.bytes) {
        return row.algorithm;
      }
    }
    throw new IllegalArgumentException("there is nothing to choose for " + operation);
  }
}
