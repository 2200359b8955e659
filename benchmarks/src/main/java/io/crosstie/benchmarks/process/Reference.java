// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * How a peer stood to the bare limit when it was measured with care on its own. A run in which a
 * peer does much worse than that has handicapped it, and proves nothing.
 *
 * @param ratio of the compared figures, peer to bare
 */
record Reference(Bench bench, int size, String peer, String bare, double ratio) {
  /** How much worse a peer may do. */
  private static final double TOLERANCE = 1.15;

  private static final int MIB = 1 << 20;

  /**
   * Round trips of 4.4 us bare; streams of 6.8 GB/s by GSO and GRO, which nobody read then: what
   * reading takes is more of a fast subject's time, so that the ratios can only rise by it.
   */
  private static final List<Reference> UDP =
      List.of(
          new Reference(Bench.RTT, 8, "aeron", "bare", 5.6 / 4.4),
          new Reference(Bench.RTT, 8, "netty", "bare", 6.4 / 4.4),
          new Reference(Bench.RTT, 8, "openmpi", "bare", 8.0 / 4.4),
          new Reference(Bench.RTT, 8, "ucx", "bare", 9.7 / 4.4),
          new Reference(Bench.STREAM, MIB, "aeron", "bare-gso", 0.34 / 6.8),
          new Reference(Bench.STREAM, MIB, "aeron-64k", "bare-gso", 2.0 / 6.8),
          new Reference(Bench.STREAM, MIB, "openmpi", "bare-gso", 6.4 / 6.8),
          new Reference(Bench.STREAM, MIB, "ucx", "bare-gso", 6.7 / 6.8));

  private static final List<Reference> SHM =
      List.of(
          new Reference(Bench.RTT, 8, "aeron", "bare", 421.0 / 325),
          new Reference(Bench.RTT, 8, "openmpi", "bare", 570.0 / 325),
          new Reference(Bench.RTT, 8, "ucx", "bare", 740.0 / 325));

  static List<Reference> of(Rail rail) {
    return rail == Rail.UDP ? UDP : SHM;
  }

  /** How much worse than it should the peer does, 1 for not at all. */
  double handicap(double measured) {
    return bench.kind() == Bench.Kind.LATENCY ? measured / ratio : ratio / measured;
  }

  /** Why these results prove nothing; empty if there is no such reason. */
  static List<String> voids(Rail rail, Results results) {
    List<String> voids = new ArrayList<>();
    Map<Placement, Results> judged = results.judged();
    for (Reference reference : of(rail)) {
      judged.forEach(
          (placement, part) ->
              reference
                  .measured(part)
                  .filter(measured -> reference.handicap(measured) > TOLERANCE)
                  .ifPresent(
                      measured ->
                          voids.add(reference.line(rail, measured) + results.suffix(placement))));
    }
    return voids;
  }

  private Optional<Double> measured(Results results) {
    return results.ratio(new Results.Group(bench, size, 0), peer, bare);
  }

  private String line(Rail rail, double measured) {
    return String.format(
        Locale.ROOT,
        "%s-%s %s: %s / %s = %.3f, where %.3f was measured with care; it may be 15 %% worse",
        rail.label(),
        bench.label(),
        Text.size(size),
        peer,
        bare,
        measured,
        ratio);
  }
}
