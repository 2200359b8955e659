// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** What a run has brought so far. */
final class Results {
  /** A size of a bench, and in an open loop a rate: what one table compares. */
  record Group(Bench bench, int size, long rate) implements Comparable<Group> {
    static Group of(CaseKey key) {
      return new Group(key.bench(), key.size(), key.rate());
    }

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
      groups.add(Group.of(summary.key()));
    }
    return List.copyOf(groups);
  }

  /** All cases that have values, for each placement apart. */
  List<Summary> summaries() {
    Map<Placement, Results> byPlacement = byPlacement();
    return rounds.keySet().stream()
        .flatMap(key -> byPlacement.values().stream().flatMap(at -> at.find(key).stream()))
        .toList();
  }

  /** Where there are results of, in order. */
  Set<Placement> placements() {
    Set<Placement> placements = EnumSet.noneOf(Placement.class);
    rounds.values().forEach(list -> list.forEach(one -> placements.add(one.placement())));
    return placements;
  }

  /** The rounds of each placement that occurred, without failures and the like. */
  Map<Placement, Results> byPlacement() {
    Map<Placement, Results> parts = new LinkedHashMap<>();
    for (Placement placement : placements()) {
      Results part = new Results();
      rounds.forEach(
          (key, list) ->
              list.stream()
                  .filter(one -> one.placement() == placement)
                  .forEach(one -> part.add(key, one)));
      parts.put(placement, part);
    }
    return parts;
  }

  /** Of these, the ones that may be compared. */
  Map<Placement, Results> judged() {
    Map<Placement, Results> parts = byPlacement();
    parts.keySet().removeIf(placement -> !placement.isJudged());
    return parts;
  }

  /**
   * Whether a case that can be measured has too few rounds of some placement in which others of its
   * group were measured.
   */
  boolean lacksRounds(CaseKey key, int least) {
    List<Measured> list = rounds.getOrDefault(key, List.of());
    return !list.isEmpty()
        && of(Group.of(key)).placements().stream()
            .filter(Placement::isJudged)
            .anyMatch(
                placement ->
                    list.stream().filter(one -> one.placement() == placement).count() < least);
  }

  /** What one table compares, without failures and the like. */
  Results of(Group group) {
    Results part = new Results();
    rounds.forEach(
        (key, list) -> {
          if (Group.of(key).equals(group)) {
            list.forEach(one -> part.add(key, one));
          }
        });
    return part;
  }

  /** What tells figures of that placement from others; empty where there are no others. */
  String suffix(Placement placement) {
    long known = placements().stream().filter(one -> one != Placement.UNKNOWN).count();
    return known < 2 || placement == Placement.UNKNOWN ? "" : " (" + placement.label() + ')';
  }

  Optional<Summary> find(Group group, String subject) {
    return find(new CaseKey(group.bench(), subject, group.size(), group.rate()));
  }

  private Optional<Summary> find(CaseKey key) {
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
