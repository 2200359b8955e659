// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** What a run has brought so far. */
final class Results {
  /** A size of a bench, and in an open loop a rate: what one table compares. */
  record Group(Bench bench, int size, long rate) implements Comparable<Group> {
    @Override
    public int compareTo(Group other) {
      int byBench = bench.compareTo(other.bench);
      int bySize = byBench != 0 ? byBench : Integer.compare(size, other.size);
      return bySize != 0 ? bySize : Long.compare(rate, other.rate);
    }
  }

  private final Map<CaseKey, List<Measured>> rounds = new LinkedHashMap<>();
  private final Map<CaseKey, Tally> verified = new LinkedHashMap<>();
  private final List<String> failures = new ArrayList<>();
  private final List<String> leftOut = new ArrayList<>();

  void add(CaseKey key, Measured measured) {
    rounds.computeIfAbsent(key, unused -> new ArrayList<>()).add(measured);
  }

  /** A verifying run found nothing wrong. */
  void addVerified(CaseKey key, Tally tally) {
    verified.put(key, tally);
  }

  void addFailure(String failure) {
    failures.add(failure);
  }

  void addLeftOut(String why) {
    leftOut.add(why);
  }

  boolean isVerified(CaseKey key) {
    return verified.containsKey(key);
  }

  Map<CaseKey, Tally> verified() {
    return verified;
  }

  List<String> failures() {
    return failures;
  }

  List<String> leftOut() {
    return leftOut;
  }

  /** Everything that was compared, in order. */
  List<Group> groups() {
    TreeSet<Group> groups = new TreeSet<>();
    for (Summary summary : summaries()) {
      CaseKey key = summary.key();
      groups.add(new Group(key.bench(), key.size(), key.rate()));
    }
    return List.copyOf(groups);
  }

  /** All cases that have values. */
  List<Summary> summaries() {
    return rounds.entrySet().stream()
        .map(entry -> new Summary(entry.getKey(), entry.getValue()))
        .filter(summary -> !summary.isEmpty())
        .toList();
  }

  Optional<Summary> find(Group group, String subject) {
    CaseKey key = new CaseKey(group.bench(), subject, group.size(), group.rate());
    return Optional.ofNullable(rounds.get(key))
        .map(list -> new Summary(key, list))
        .filter(summary -> !summary.isEmpty());
  }

  /** The newest round alone. */
  Optional<Summary> last(CaseKey key) {
    return Optional.ofNullable(rounds.get(key))
        .map(list -> new Summary(key, List.of(list.getLast())))
        .filter(summary -> !summary.isEmpty());
  }

  /** The compared figure of one subject divided by that of another, if there are both. */
  Optional<Double> ratio(Group group, String subject, String to) {
    Optional<Summary> of = find(group, subject);
    Optional<Summary> base = find(group, to);
    return of.isPresent() && base.isPresent() && base.get().figure().median() != 0
        ? Optional.of(of.get().figure().median() / base.get().figure().median())
        : Optional.empty();
  }
}
