// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.MemorySegment;
import java.util.TreeSet;

/**
 * Judges one stream by its content alone: every number once, in order, with the right bytes. One
 * thread writes; the counts may be read by any.
 */
final class Verifier {
  /** What came of a stream. */
  record Verdict(
      long delivered, long lost, long duplicated, long corrupt, long outOfOrder, String first) {}

  /** More that are missing at once are not kept by number. */
  private static final int MOST_MISSING = 1 << 20;

  private final Content content;
  private final TreeSet<Long> missing = new TreeSet<>();
  private long next = 1;
  private long delivered;
  private long skipped;
  private long duplicated;
  private long corrupt;
  private long outOfOrder;
  private String first = "";

  Verifier(Content content) {
    this.content = content;
  }

  /** Takes the next message. */
  synchronized void take(MemorySegment message, long offset, long length) {
    delivered++;
    if (content.is(message, offset, length, next)) {
      next++;
      return;
    }
    long number = Content.claimedNumber(message, offset, length);
    if (number < 1 || !content.is(message, offset, length, number)) {
      corrupt++;
      note("message " + next + " is not what was sent");
      next++; // it stands in the place of the one that was due
    } else if (number > next) {
      outOfOrder++;
      note("message " + number + " came when " + next + " was due");
      for (long absent = next; absent < number; absent++) {
        if (missing.size() < MOST_MISSING) {
          missing.add(absent);
        } else {
          skipped++;
        }
      }
      next = number + 1;
    } else if (missing.remove(number)) {
      outOfOrder++;
      note("message " + number + " came late");
    } else {
      duplicated++;
      note("message " + number + " came again");
    }
  }

  private void note(String what) {
    if (first.isEmpty()) {
      first = what;
    }
  }

  /** How many were delivered. */
  synchronized long delivered() {
    return delivered;
  }

  /**
   * The verdict.
   *
   * @param sent how many were sent
   */
  synchronized Verdict verdict(long sent) {
    long lost = missing.size() + skipped + Math.max(0, sent + 1 - next);
    return new Verdict(delivered, lost, duplicated, corrupt, outOfOrder, first);
  }
}
