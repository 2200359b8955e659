// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.checksum.ChecksumKind;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

final class ChecksumSubjectsTest {
  /** Workers find them by name, and no other bench takes the time to run them. */
  @Test
  void everyChecksumIsMeasuredAndOnlyWhereItIsAskedFor() {
    for (Rail rail : Rail.values()) {
      List<String> titles =
          ChecksumSubjects.of(rail).stream().map(ChecksumSubjects::title).toList();
      for (ChecksumKind kind : ChecksumKind.values()) {
        assertTrue(titles.contains(kind.name().toLowerCase(Locale.ROOT)), titles::toString);
      }
      assertTrue(titles.contains("crc32c, Java alone"), titles::toString);
      for (Subject subject : ChecksumSubjects.of(rail)) {
        assertEquals(subject.name(), Subjects.named(rail, subject.name()).name());
        assertFalse(Subjects.of(rail).contains(subject));
      }
    }
  }
}
