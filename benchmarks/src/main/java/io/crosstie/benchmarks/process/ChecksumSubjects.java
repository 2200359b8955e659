// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Links;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.Progress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;

/** Crosstie with each checksum that there is, and the default one by Java alone. */
final class ChecksumSubjects {
  private static final String PREFIX = "checksum-";
  private static final String JAVA = "-java";

  private ChecksumSubjects() {}

  /** All for a rail, without any checksum first. */
  static List<Subject> of(Rail rail) {
    List<Subject> all = new ArrayList<>();
    for (ChecksumKind kind : ChecksumKind.values()) {
      all.add(subject(rail, kind, true));
      if (kind == ChecksumKind.CRC32C) {
        all.add(subject(rail, kind, false)); // the accelerator sums no other
      }
    }
    return all;
  }

  /** Which checksum it is of, for a table. */
  static String title(Subject subject) {
    String name = subject.name().substring(PREFIX.length());
    return name.endsWith(JAVA)
        ? name.substring(0, name.length() - JAVA.length()) + ", Java alone"
        : name;
  }

  private static Subject subject(Rail rail, ChecksumKind kind, boolean accelerator) {
    String name = kind.name().toLowerCase(Locale.ROOT);
    String uri = rail == Rail.SHM ? "shm:" : UdpSubjects.rail("linux", UdpSubjects.SMALL);
    Progress progress = Progress.caller(Idle.spin());
    return Subject.jvm(
        PREFIX + name + (accelerator ? "" : JAVA),
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            "ordered, exactly once, checksum " + name,
            "2 out (1 from 64 KiB on), 1 in",
            "1, " + progress,
            "as the rail likes",
            "defaults, " + uri),
        EnumSet.of(Bench.STREAM),
        UdpSubjects.MAX_SIZE,
        Links.crosstie(List.of(uri), progress, name, accelerator));
  }
}
