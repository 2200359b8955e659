// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Everybody who can be measured. */
final class Subjects {
  private Subjects() {}

  /** All for a rail. */
  static List<Subject> of(Rail rail) {
    return switch (rail) {
      case UDP -> UdpSubjects.ALL;
      case SHM -> ShmSubjects.ALL;
    };
  }

  /**
   * The subject of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Subject named(Rail rail, String name) {
    return Stream.concat(of(rail).stream(), ChecksumSubjects.of(rail).stream())
        .filter(subject -> subject.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no subject is called "
                        + name
                        + "; there are "
                        + of(rail).stream().map(Subject::name).collect(Collectors.joining(", "))));
  }
}
