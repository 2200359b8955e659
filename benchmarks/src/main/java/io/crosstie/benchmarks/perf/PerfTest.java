// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What {@code crosstie perf} can measure. */
public enum PerfTest {
  /** Round trips, one at a time. */
  LATENCY,
  /** A stream from the client to the server. */
  OUT,
  /** A stream from the server to the client. */
  IN,
  /** Small messages from the client to the server. */
  RATE,
  /** Puts from the client into a region of the server's. */
  PUT,
  /** Round trips of short puts with a notification, one at a time. */
  NOTIFY,
  /** Gets by the client from a region of the server's. */
  GET,
  /** Round trips of fetch-and-add on a word of the server's region, one at a time. */
  ATOMIC,
  /** Round trips of datagrams, one at a time. */
  DATAGRAM,
  /** Datagrams from the client to the server, those that arrive. */
  DATAGRAM_RATE;

  /** Its name on the command line. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The test of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static PerfTest of(String label) {
    return Arrays.stream(values())
        .filter(test -> test.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no test is called "
                        + label
                        + "; there are "
                        + Arrays.stream(values())
                            .map(PerfTest::label)
                            .collect(Collectors.joining(", "))));
  }
}
