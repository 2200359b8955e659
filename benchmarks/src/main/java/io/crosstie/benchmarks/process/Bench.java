// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/** What is measured. The rail's name stands before it in results: {@code udp-rtt}. */
public enum Bench {
  /** Round trips one after the other, in nanoseconds. */
  RTT(Kind.LATENCY, "round trip, one at a time"),
  /** As many messages as go one way, in megabytes a second. */
  STREAM(Kind.BANDWIDTH, "one-way stream"),
  /** The same both ways at once; the figure is the sum. */
  BIDI(Kind.BANDWIDTH, "stream both ways at once, sum of both"),
  /** As many small messages as go one way, in messages a second. */
  RATE(Kind.RATE, "small messages, one way"),
  /** How long the call takes that hands over a message, in nanoseconds, with time between calls. */
  SEND(Kind.LATENCY, "time to hand over one message, 20 us between them"),
  /** Round trips at fixed rates, from when the message was due, in nanoseconds. */
  OPENLOOP(Kind.LATENCY, "round trip at a fixed rate, from the time the message was due"),
  /**
   * A stream whose segment of shared memory is truncated half way, and which has to go on by
   * another rail; every byte is looked at, and everything that was sent has to be accepted.
   */
  LOSS(Kind.BANDWIDTH, "one-way stream that loses its shared memory half way"),
  /** Bytes that the two threads allocate, once warm, while ten million messages go one way. */
  ALLOC(Kind.COUNT, "B", "bytes allocated by both threads over the messages"),
  /** Processor time of a connected process that has nothing to do. */
  IDLE(Kind.COUNT, "% of a core", "processor time of a process with nothing to do");

  /** How a bench's results are written. */
  public enum Kind {
    /** A histogram of nanoseconds. */
    LATENCY,
    /** MB/s, higher is better. */
    BANDWIDTH,
    /** Messages a second, higher is better. */
    RATE,
    /** A number for which lower is better. */
    COUNT
  }

  private final Kind kind;
  private final String unit;
  private final String title;

  Bench(Kind kind, String title) {
    this(
        kind,
        switch (kind) {
          case LATENCY -> "ns";
          case BANDWIDTH -> "MB/s";
          case RATE -> "msg/s";
          case COUNT -> "";
        },
        title);
  }

  Bench(Kind kind, String unit, String title) {
    this.kind = kind;
    this.unit = unit;
    this.title = title;
  }

  /** Of the compared figure. */
  public String unit() {
    return unit;
  }

  /** How its results are written. */
  public Kind kind() {
    return kind;
  }

  /** For people. */
  public String title() {
    return title;
  }

  /** Its name behind the rail's. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Whether both ends measure; otherwise one of them. */
  boolean measuresBothEnds() {
    return this == BIDI || this == IDLE;
  }

  /** Whether the end that starts has the result. */
  boolean measuresNear() {
    return this == RTT || this == SEND || this == OPENLOOP;
  }

  /**
   * The bench of that label.
   *
   * @throws IllegalArgumentException if there is none
   */
  public static Bench of(String label) {
    return Arrays.stream(values())
        .filter(bench -> bench.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no bench is called "
                        + label
                        + "; there are "
                        + Arrays.stream(values())
                            .map(Bench::label)
                            .collect(Collectors.joining(", "))));
  }
}
