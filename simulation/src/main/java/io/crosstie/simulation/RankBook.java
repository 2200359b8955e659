// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that ranks have sent and received, and whether it is right: each message was received once,
 * unchanged, in the order of MPI, and nobody wrote to its memory afterwards (R27 to R29).
 */
final class RankBook {
  /** A wildcard. */
  static final int ANY = -1;

  /** A message. */
  static final class Sent {
    final int number;
    final int from;
    final int to;
    final int context;
    final int tag;
    final long length;

    /** Its memory is gone before it is sent: its receive is told, and gets nothing. */
    final boolean isUnreadable;

    boolean done;
    @Nullable Taken by;

    Sent(int number, int from, int to, int context, int tag, long length, boolean isUnreadable) {
      this.number = number;
      this.from = from;
      this.to = to;
      this.context = context;
      this.tag = tag;
      this.length = length;
      this.isUnreadable = isUnreadable;
    }

    /** What its bytes follow from. */
    long seed() {
      return Bytes.mix(number + 0x72616e6bL);
    }

    /** Whether no receive can tell it from the other one. */
    boolean isLike(Sent other) {
      return from == other.from
          && to == other.to
          && context == other.context
          && tag == other.tag
          && length == other.length
          && isUnreadable == other.isUnreadable
          && (isUnreadable || bytes().mismatch(other.bytes()) < 0);
    }

    MemorySegment bytes() {
      MemorySegment bytes = MemorySegment.ofArray(new byte[(int) length]);
      Bytes.fill(bytes, 0, length, seed());
      return bytes;
    }

    @Override
    public String toString() {
      return "message "
          + number
          + " ("
          + length
          + " B, context "
          + context
          + ", tag "
          + tag
          + ") of n"
          + from
          + " to n"
          + to
          + (isUnreadable ? ", unreadable" : "");
    }
  }

  /** A receive. */
  static final class Taken {
    final int number;
    final int at;
    final int context;
    final int source;
    final int tag;
    final MemorySegment memory;
    boolean done;
    boolean cancelled;

    Taken(int number, int at, int context, int source, int tag, MemorySegment memory) {
      this.number = number;
      this.at = at;
      this.context = context;
      this.source = source;
      this.tag = tag;
      this.memory = memory;
    }

    private boolean fits(Sent sent) {
      return sent.to == at
          && sent.context == context
          && (source == ANY || source == sent.from)
          && (tag == ANY || tag == sent.tag);
    }

    @Override
    public String toString() {
      return "receive "
          + number
          + " of n"
          + at
          + " (context "
          + context
          + ", source "
          + source
          + ", tag "
          + tag
          + ")";
    }
  }

  private final int mortal;
  private final List<Sent> sent = new ArrayList<>();
  private final List<Taken> taken = new ArrayList<>();

  private long diedNs = Long.MAX_VALUE;

  /**
   * Empty.
   *
   * @param mortal the rank that will die, {@link #ANY} if none does
   */
  RankBook(int mortal) {
    this.mortal = mortal;
  }

  /** The rank that is to die, or has died; {@link #ANY} if there is none. */
  int mortal() {
    return mortal;
  }

  /** It dies. */
  void died(long nowNs) {
    diedNs = Math.min(diedNs, nowNs);
  }

  /** When it has died, {@link Long#MAX_VALUE} if it lives. */
  long diedNs() {
    return diedNs;
  }

  /** Whether that rank has died; where its process was not there to be killed it has not. */
  boolean hasDied(int rank) {
    return diedNs != Long.MAX_VALUE && rank == mortal;
  }

  private boolean concernsDead(Sent message) {
    return hasDied(message.from) || hasDied(message.to);
  }

  /** The number of the next message. */
  int nextNumber() {
    return sent.size();
  }

  Sent send(int from, int to, int context, int tag, long length, boolean isUnreadable) {
    Sent made = new Sent(sent.size(), from, to, context, tag, length, isUnreadable);
    sent.add(made);
    return made;
  }

  Taken receive(int at, int context, int source, int tag, MemorySegment memory) {
    Taken made = new Taken(taken.size(), at, context, source, tag, memory);
    taken.add(made);
    return made;
  }

  /** A receive has got a message. */
  void got(Taken receive, int from, int tag, long length) {
    met(receive, from, tag, length, false);
  }

  /** A receive was told that its message cannot be read where it was sent. */
  void failed(Taken receive, int from, int tag, long length) {
    met(receive, from, tag, length, true);
  }

  private void met(Taken receive, int from, int tag, long length, boolean isUnreadable) {
    for (Sent each : sent) {
      if (each.by == null
          && each.from == from
          && each.tag == tag
          && each.length == length
          && each.isUnreadable == isUnreadable
          && receive.fits(each)
          && (isUnreadable || isThere(receive, each))) {
        each.by = receive;
        if (each.length <= Byte.BYTES || isUnreadable) {
          sortAlike(each);
        }
        return;
      }
    }
    throw new Violation(
        "15 ranks",
        receive
            + (isUnreadable ? " was told of " : " got ")
            + length
            + " B of n"
            + from
            + " with tag "
            + tag
            + ", never sent so");
  }

  /**
   * Which of some messages that are alike a receive has got cannot be seen, and receives are told
   * in any order: the one that was sent first counts as that of the receive posted first.
   */
  private void sortAlike(Sent message) {
    List<Sent> alike = new ArrayList<>();
    List<Taken> takers = new ArrayList<>();
    for (Sent each : sent) { // by number
      Taken by = each.by;
      if (by != null && each.isLike(message)) {
        alike.add(each);
        takers.add(by);
      }
    }
    takers.sort(Comparator.comparingInt(taken -> taken.number));
    for (int i = 0; i < alike.size(); i++) {
      alike.get(i).by = takers.get(i);
    }
  }

  private static boolean isThere(Taken receive, Sent message) {
    return message.bytes().mismatch(receive.memory.asSlice(0, message.length)) < 0;
  }

  /** Messages of one rank to another that no receive has got. */
  long left(int from, int to, int context) {
    return sent.stream()
        .filter(s -> s.from == from && s.to == to && s.context == context && s.by == null)
        .count();
  }

  /** What is not complete, or null. */
  @Nullable String whatIsMissing() {
    for (Sent each : sent) {
      boolean isLost = each.by == null && !concernsDead(each);
      if (isLost || (!each.done && !hasDied(each.from))) {
        return each + (isLost ? ": not received" : ": its sender was not told");
      }
    }
    for (Taken each : taken) {
      if (!each.done && !hasDied(each.at)) {
        return each + ": not over";
      }
    }
    return null;
  }

  /** Everything is over: nothing was overtaken, and all is still in its place. */
  void judge() {
    for (Sent second : sent) {
      Taken by = second.by;
      if (by == null && concernsDead(second)) {
        continue;
      }
      if (by == null) {
        throw new Violation("15 ranks", second + ": not received");
      }
      if (!hasDied(second.to) && !second.isUnreadable && !isThere(by, second)) {
        throw new Violation("15 ranks", second + ": its place was written to later");
      }
      for (Sent first : sent) {
        Taken before = first.by;
        if (first.number < second.number
            && first.from == second.from
            && by.fits(first)
            && before != null
            && before.number > by.number) {
          throw new Violation("15 ranks", second + " has overtaken " + first + ": " + by);
        }
      }
    }
  }
}
