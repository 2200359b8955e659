// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What two builds are compared in.
 *
 * @param rail over what
 * @param bench what is measured
 * @param size bytes of a message
 */
public record PairRow(Rail rail, Bench bench, int size) {
  private static final int MIB = 1 << 20;
  private static final Set<Bench> BENCHES =
      EnumSet.of(Bench.RTT, Bench.STREAM, Bench.BIDI, Bench.RATE, Bench.SEND);

  /** Those that are compared unless others are asked for. */
  public static final List<PairRow> USUAL =
      List.of(
          new PairRow(Rail.SHM, Bench.RTT, 8),
          new PairRow(Rail.SHM, Bench.RATE, 32),
          new PairRow(Rail.SHM, Bench.STREAM, MIB),
          new PairRow(Rail.UDP, Bench.RTT, 8),
          new PairRow(Rail.UDP, Bench.STREAM, MIB));

  /**
   * The row of that name: of a usual one, or of any with a size.
   *
   * @param name such as {@code shm-rtt}
   * @param size bytes of a message; 0 for the usual one's
   * @throws IllegalArgumentException if there is none
   */
  public static PairRow of(String name, long size) {
    if (size == 0) {
      return USUAL.stream()
          .filter(row -> row.name().equals(name))
          .findFirst()
          .orElseThrow(
              () -> new IllegalArgumentException(name + " is no row of these: " + names()));
    }
    BenchSettings.checkSize(size);
    for (Rail rail : Rail.values()) {
      for (Bench bench : BENCHES) {
        PairRow row = new PairRow(rail, bench, Math.toIntExact(size));
        if (row.name().equals(name)) {
          return row;
        }
      }
    }
    throw new IllegalArgumentException(
        name
            + " is none of these, with shm- or udp- before it: "
            + BENCHES.stream().map(Bench::label).collect(Collectors.joining(", ")));
  }

  private static String names() {
    return USUAL.stream().map(PairRow::name).collect(Collectors.joining(", "))
        + "; others need a size, as in udp-rtt:1KiB";
  }

  /** The rail's name and the bench's. */
  public String name() {
    return rail.label() + '-' + bench.label();
  }

  /** With the size. */
  String label() {
    return name() + ' ' + Text.size(size);
  }

  /** What is measured: ours with its defaults, spinning, checksum on; or with Java alone. */
  String subject(boolean accelerator) {
    String subject =
        switch (rail) {
          case SHM -> "crosstie";
          case UDP -> "crosstie-linux";
        };
    return accelerator ? subject : subject + "-java";
  }

  /** Whether a smaller figure is the better one. */
  boolean isLessBetter() {
    return bench.kind() == Bench.Kind.LATENCY;
  }

  CaseSpec spec(boolean accelerator, long warmUpNs, long measureNs) {
    return new CaseSpec(bench, subject(accelerator), size, 0, false, warmUpNs, measureNs, 0);
  }
}
