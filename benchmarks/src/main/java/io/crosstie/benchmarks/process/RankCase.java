// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One thing that ranks measure.
 *
 * @param what is measured
 * @param size of a message in bytes, a multiple of 8 for what has bytes; of posted and unexpected
 *     it is how many there are; 0 for a barrier
 */
public record RankCase(What what, long size) {
  /** What can be measured. */
  public enum What {
    /** A message there and back. */
    RTT("round trip"),
    /** A message of 8 B there and back, where so many other receives are posted at both ends. */
    POSTED("round trip behind posted"),
    /** The same where so many messages that no receive has taken lie at both ends. */
    UNEXPECTED("round trip beside unexpected"),
    /** Messages one way, by windows. */
    STREAM("stream"),
    /** All wait for all. */
    BARRIER("barrier"),
    /** One has something for all; the root goes round. */
    BCAST("bcast"),
    /** All add up 64-bit integers. */
    ALLREDUCE("allreduce"),
    /** All have something for all. */
    ALLGATHER("allgather"),
    /** Each has something else for each. */
    ALLTOALL("alltoall");

    private final String text;

    What(String text) {
      this.text = text;
    }

    /** Whether all ranks take part, and not only two. */
    public boolean isCollective() {
      return compareTo(BARRIER) >= 0;
    }

    boolean isStream() {
      return this == STREAM;
    }

    /** Whether its size is how many others there are. */
    boolean isCrowded() {
      return this == POSTED || this == UNEXPECTED;
    }

    /** Its name on command lines. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }

    /**
     * By its name.
     *
     * @throws IllegalArgumentException naming those that there are
     */
    public static What of(String label) {
      return Arrays.stream(values())
          .filter(one -> one.label().equals(label))
          .findFirst()
          .orElseThrow(
              () ->
                  new IllegalArgumentException(
                      "there is no case \""
                          + label
                          + "\"; there are "
                          + String.join(", ", Arrays.stream(values()).map(What::label).toList())));
    }
  }

  private static final int WORD = 8;
  private static final long MOST_BYTES = 64 << 20;

  /** Ranks hold as many by default. */
  private static final long MOST_OTHERS = 60_000;

  /**
   * Checks.
   *
   * @throws IllegalArgumentException if there is no such size
   */
  public RankCase {
    boolean isSize =
        what == What.BARRIER
            ? size == 0
            : what.isCrowded()
                ? size >= 1 && size <= MOST_OTHERS
                : size >= WORD && size <= MOST_BYTES && size % WORD == 0;
    if (!isSize) {
      throw new IllegalArgumentException(
          what.label()
              + " of "
              + size
              + ": sizes are multiples of 8 up to 64MiB, numbers of others 1 to "
              + MOST_OTHERS);
    }
  }

  /** As it stands on the command line of whoever measures it. */
  String word() {
    return what.label() + ":" + size;
  }

  /** Reads {@link #word()}. */
  static RankCase parse(String word) {
    int colon = word.indexOf(':');
    if (colon < 0) {
      throw new IllegalArgumentException("\"" + word + "\" is no case; write one as rtt:8");
    }
    return new RankCase(
        What.of(word.substring(0, colon)), Long.parseLong(word.substring(colon + 1)));
  }

  /** For people. */
  String text() {
    return switch (what) {
      case BARRIER -> what.text;
      case POSTED, UNEXPECTED -> String.format(Locale.ROOT, "%s %,d", what.text, size);
      default -> what.text + " of " + Text.size(size);
    };
  }

  /** A figure of it with its unit; figures are nanoseconds, or bytes a second. */
  String figure(double value) {
    return what.isStream() ? Text.value(Bench.STREAM, value / 1e6) : Text.nanos(value);
  }

  /** What programs of MPI do: point to point, and collective operations. */
  public static List<RankCase> ofMpi(boolean quick) {
    List<RankCase> cases = new ArrayList<>();
    for (int size : quick ? List.of(8) : List.of(8, 1 << 10, 32 << 10, 64 << 10)) {
      cases.add(new RankCase(What.RTT, size));
    }
    for (int size : quick ? List.of(1 << 20) : List.of(64 << 10, 1 << 20)) {
      cases.add(new RankCase(What.STREAM, size));
    }
    for (What what : List.of(What.BCAST, What.ALLREDUCE, What.ALLTOALL)) {
      for (int size : quick ? List.of(8) : List.of(8, 64 << 10)) {
        cases.add(new RankCase(what, size));
      }
    }
    return cases;
  }

  /** Point to point: round trips from 8 B on, streams, and what matching costs. */
  public static List<RankCase> pointToPoint(boolean quick) {
    return quick
        ? List.of(
            new RankCase(What.RTT, 8),
            new RankCase(What.POSTED, 1),
            new RankCase(What.POSTED, 10_000),
            new RankCase(What.UNEXPECTED, 1),
            new RankCase(What.UNEXPECTED, 10_000),
            new RankCase(What.STREAM, 1 << 20))
        : List.of(
            new RankCase(What.RTT, 8),
            new RankCase(What.RTT, 1 << 10),
            new RankCase(What.RTT, 8 << 10),
            new RankCase(What.RTT, 32 << 10), // beyond what is eager, and less than many puts
            new RankCase(What.RTT, 64 << 10),
            new RankCase(What.POSTED, 1),
            new RankCase(What.POSTED, 1000),
            new RankCase(What.POSTED, 10_000),
            new RankCase(What.UNEXPECTED, 1),
            new RankCase(What.UNEXPECTED, 1000),
            new RankCase(What.UNEXPECTED, 10_000),
            new RankCase(What.STREAM, 64 << 10),
            new RankCase(What.STREAM, 1 << 20));
  }
}
