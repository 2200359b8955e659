// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.lang.foreign.MemorySegment;
import java.util.TreeSet;

/**
 * The receiver's judgement of one stream by what is in its messages: each number once, in order,
 * with the right bytes. One thread takes messages, any may ask.
 */
final class StreamJudge {
  /** More that are missing at once are counted, but not kept by number. */
  private static final int MOST_MISSING = 100_000;

  private final String name;
  private final TreeSet<Long> missing = new TreeSet<>();
  private long session;
  private long next = 1;
  private long delivered;
  private long bytes;
  private long skipped;
  private long duplicated;
  private long corrupt;
  private long outOfOrder;
  private String firstFault = "";

  StreamJudge(String name) {
    this.name = name;
  }

  /** Takes the next message. */
  synchronized void take(MemorySegment message, long offset, long length) {
    delivered++;
    bytes += length;
    if (!LiveMessage.isSound(message, offset, length)) {
      corrupt++;
      fault("the message in place of " + next + " is not what was sent");
      next++;
      return;
    }
    long theirs = LiveMessage.session(message, offset);
    session = session == 0 ? theirs : session;
    long index = LiveMessage.index(message, offset);
    if (theirs != session) {
      corrupt++;
      fault("message " + index + " is of an earlier life of the stream");
    } else if (index == next) {
      next++;
    } else if (index > next) {
      fault("message " + index + " came when " + next + " was due");
      skip(index);
    } else if (missing.remove(index)) {
      outOfOrder++;
      fault("message " + index + " came late");
    } else {
      duplicated++;
      fault("message " + index + " came again");
    }
  }

  private void skip(long index) {
    for (long absent = next; absent < index; absent++) {
      if (missing.size() == MOST_MISSING) {
        skipped += index - absent;
        break;
      }
      missing.add(absent);
    }
    next = index + 1;
  }

  private void fault(String what) {
    if (firstFault.isEmpty()) {
      firstFault = what;
    }
  }

  /** The session that its messages name; 0 before the first. */
  synchronized long session() {
    return session;
  }

  /** What has come so far. */
  synchronized Report.Stream report() {
    return new Report.Stream(
        name,
        delivered,
        bytes,
        missing.size() + skipped,
        duplicated,
        corrupt,
        outOfOrder,
        firstFault);
  }
}
