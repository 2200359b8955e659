// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit.stream;

import java.lang.foreign.MemorySegment;
import java.util.TreeSet;

/**
 * Judges one stream by what was delivered alone: every number once, in order, with the right bytes.
 * One thread takes messages; any may ask.
 */
public final class StreamVerifier {
  /** More that are missing at once are counted, but not kept by number. */
  private static final int MOST_MISSING = 1 << 20;

  /**
   * What came of a stream, or of several.
   *
   * @param lost numbers that were passed over or are due, and have not come
   * @param outOfOrder messages that came later than their successors
   * @param first the first fault, in words; empty if there was none
   */
  public record Account(
      long delivered,
      long bytes,
      long lost,
      long duplicated,
      long corrupt,
      long outOfOrder,
      String first) {
    /** Of nothing. */
    public static final Account NONE = new Account(0, 0, 0, 0, 0, 0, "");

    /** Whether nothing is lost, repeated, corrupt or out of order. */
    public boolean isClean() {
      return lost == 0 && duplicated == 0 && corrupt == 0 && outOfOrder == 0 && first.isEmpty();
    }

    /** Both together. */
    public Account plus(Account other) {
      return new Account(
          delivered + other.delivered,
          bytes + other.bytes,
          lost + other.lost,
          duplicated + other.duplicated,
          corrupt + other.corrupt,
          outOfOrder + other.outOfOrder,
          first.isEmpty() ? other.first : first);
    }

    /** In words, without the first fault. */
    public String counts() {
      return lost
          + " lost, "
          + duplicated
          + " duplicated, "
          + corrupt
          + " corrupt, "
          + outOfOrder
          + " out of order";
    }

    @Override
    public String toString() {
      return delivered
          + " delivered, "
          + counts()
          + (first.isEmpty() ? "" : " (first: " + first + ")");
    }
  }

  private final TreeSet<Long> missing = new TreeSet<>();
  private long stream;
  private long next;
  private long delivered;
  private long bytes;
  private long skipped;
  private long duplicated;
  private long corrupt;
  private long outOfOrder;
  private String first = "";

  /**
   * Of a stream whose messages are numbered from a number on.
   *
   * @param stream what messages have to name; 0 for what the first one names
   */
  public StreamVerifier(long stream, long firstNumber) {
    this.stream = stream;
    this.next = firstNumber;
  }

  /** Takes the next delivered {@link NumberedMessage}. */
  public synchronized void take(MemorySegment memory, long offset, long length) {
    if (!NumberedMessage.isSound(memory, offset, length)) {
      takeCorrupt(length, "message " + next + " is not what was sent");
      return;
    }
    long theirs = NumberedMessage.stream(memory, offset);
    stream = stream == 0 ? theirs : stream;
    long number = NumberedMessage.number(memory, offset);
    if (theirs == stream) {
      takeSound(number, length);
    } else {
      count(length);
      corrupt++;
      fault("message " + number + " is of another life of the stream");
    }
  }

  private void count(long length) {
    delivered++;
    bytes += length;
  }

  /** Takes the next delivered message, in the place of the one that is due. */
  public synchronized void takeCorrupt(long length, String what) {
    count(length);
    corrupt++;
    fault(what);
    next++;
  }

  /** Takes the next delivered message, which is the one of that number. */
  public synchronized void takeSound(long number, long length) {
    count(length);
    if (number == next) {
      next++;
    } else if (number > next) {
      fault("message " + number + " came when " + next + " was due");
      for (long absent = next; absent < number; absent++) {
        if (missing.size() == MOST_MISSING) {
          skipped += number - absent;
          break;
        }
        missing.add(absent);
      }
      next = number + 1;
    } else if (missing.remove(number)) {
      outOfOrder++;
      fault("message " + number + " came late");
    } else {
      duplicated++;
      fault("message " + number + " came again");
    }
  }

  /** Notes that something is wrong. */
  public synchronized void fault(String what) {
    if (first.isEmpty()) {
      first = what;
    }
  }

  /** The stream that its messages name; 0 before the first. */
  public synchronized long stream() {
    return stream;
  }

  /** The number that is due. */
  public synchronized long next() {
    return next;
  }

  /** How many were delivered. */
  public synchronized long delivered() {
    return delivered;
  }

  /** Bytes of these. */
  public synchronized long bytes() {
    return bytes;
  }

  /** What has come so far. */
  public synchronized Account account() {
    return account(next - 1);
  }

  /** The verdict, given the number of the last message that was sent. */
  public synchronized Account account(long lastSent) {
    long lost = missing.size() + skipped + Math.max(0, lastSent + 1 - next);
    return new Account(delivered, bytes, lost, duplicated, corrupt, outOfOrder, first);
  }
}
