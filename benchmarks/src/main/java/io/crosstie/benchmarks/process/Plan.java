// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Which subjects, benches, sizes and rates a run consists of. */
final class Plan {
  private static final List<Integer> FULL_SIZES =
      List.of(8, 64, 1 << 10, 8 << 10, 64 << 10, 1 << 20, 8 << 20, 64 << 20);
  private static final Map<Bench, List<Integer>> FULL =
      new EnumMap<>(
          Map.of(
              Bench.RTT, FULL_SIZES,
              Bench.STREAM, FULL_SIZES,
              Bench.LOSS, List.of(64, 64 << 10, 1 << 20),
              Bench.BIDI, List.of(1 << 10, 64 << 10, 1 << 20),
              Bench.RATE, List.of(8, 32, 128),
              Bench.SEND, List.of(8, 1 << 10, 64 << 10),
              Bench.OPENLOOP, List.of(64),
              Bench.ALLOC, List.of(32),
              Bench.IDLE, List.of(8)));
  private static final Map<Bench, List<Integer>> QUICK =
      new EnumMap<>(
          Map.of(
              Bench.RTT, List.of(8),
              Bench.STREAM, List.of(1 << 20),
              Bench.LOSS, List.of(1 << 20),
              Bench.RATE, List.of(32)));
  private static final List<Long> RATES = List.of(1_000L, 10_000L, 50_000L);
  private static final int IDLE_TIMES = 5;
  private static final long ALLOC_MESSAGES = 10_000_000;
  private static final long QUICK_ALLOC_MESSAGES = 1_000_000;

  private final BenchSettings settings;
  private List<Subject> subjects;
  private final List<Bench> benches;

  Plan(BenchSettings settings) {
    this.settings = settings;
    List<Subject> all = Subjects.of(settings.rail());
    subjects =
        settings.subjects().isEmpty()
            ? all.stream().filter(subject -> !settings.quick() || isUsual(subject)).toList()
            : settings.subjects().stream()
                .map(name -> Subjects.named(settings.rail(), name))
                .toList();
    benches =
        settings.benches().isEmpty()
            ? List.copyOf((settings.quick() ? QUICK : FULL).keySet())
            : settings.benches();
  }

  /** Ours that show one thing only take no part in a quick run unless they are named. */
  private static boolean isUsual(Subject subject) {
    return !subject.ours() || subject.benches().contains(Bench.STREAM);
  }

  /** Leaves out who cannot be measured here; says why, one line each. */
  List<String> leaveOut() {
    List<String> lines = new ArrayList<>();
    List<Subject> able = new ArrayList<>();
    for (Subject subject : subjects) {
      String why = subject.whyNot().get();
      if (why == null) {
        able.add(subject);
      } else {
        lines.add(subject.name() + ": " + why);
      }
    }
    subjects = List.copyOf(able);
    return lines;
  }

  List<Subject> subjects() {
    return subjects;
  }

  List<Bench> benches() {
    return benches;
  }

  List<Integer> sizes(Bench bench) {
    if (!settings.sizes().isEmpty()) {
      return settings.sizes();
    }
    List<Integer> quick = QUICK.get(bench);
    return settings.quick() && quick != null ? quick : FULL.getOrDefault(bench, List.of());
  }

  /** What one subject measures of a bench, in order. */
  List<CaseSpec> cases(Bench bench, Subject subject, boolean verifies) {
    List<CaseSpec> cases = new ArrayList<>();
    for (int size : sizes(bench)) {
      if (subject.takes(bench, size)) {
        for (long rate : bench == Bench.OPENLOOP ? RATES : List.of(0L)) {
          cases.add(caseOf(bench, subject, size, rate, verifies));
        }
      }
    }
    return cases;
  }

  /** Processor time is counted in hundredths of a second: idling takes long to show. */
  private long measureNs(Bench bench) {
    return bench == Bench.IDLE ? IDLE_TIMES * settings.measureNs() : settings.measureNs();
  }

  private CaseSpec caseOf(Bench bench, Subject subject, int size, long rate, boolean verifies) {
    long messages = settings.quick() ? QUICK_ALLOC_MESSAGES : ALLOC_MESSAGES;
    return new CaseSpec(
        bench,
        subject.name(),
        size,
        rate,
        verifies,
        verifies ? 0 : settings.warmUpNs(),
        verifies ? settings.verifyNs() : measureNs(bench),
        bench == Bench.ALLOC && !verifies ? messages : 0);
  }
}
