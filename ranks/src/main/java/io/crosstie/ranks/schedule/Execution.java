// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.Messenger;
import io.crosstie.ranks.p2p.Outcome;
import io.crosstie.ranks.p2p.ReceiveOp;
import io.crosstie.ranks.p2p.SendOp;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One rank's part in one collective operation, on its way. Whoever makes progress.
 *
 * <p>A rank that cannot do its part, since the application's code or memory fails, goes through the
 * rest of its schedule all the same: it sends nothing, marked as failed, where data is due, takes
 * what comes and drops it. So each rank that would get something wrong is told, and none waits.
 */
public final class Execution {
  private final Schedule schedule;
  private final int context;
  private final int tag;
  private final int[] members;
  private final Outcome outcome;
  private final List<SendOp> sends = new ArrayList<>();
  private final List<ReceiveOp> receives = new ArrayList<>();
  private Schedule.@Nullable Round round;
  private int pending;
  private @Nullable Failure failure;

  /** What a rank that is not there any more would have sent does not come. */
  private boolean lacksRank;

  /** Something has thrown, and what is under way is to be given up. */
  private boolean thrown;

  /** The application has what is to be done next. */
  private boolean lent;

  private boolean over;

  /**
   * Nothing was done yet.
   *
   * @param context the odd one of a communicator
   * @param tag that no other one of the communicator has meanwhile
   * @param members the world's numbers of its ranks
   */
  public Execution(Schedule schedule, int context, int tag, int[] members, Outcome outcome) {
    this.schedule = schedule;
    this.context = context;
    this.tag = tag;
    this.members = members.clone();
    this.outcome = outcome;
  }

  boolean hasMember(int worldRank) {
    for (int member : members) {
      if (member == worldRank) {
        return true;
      }
    }
    return false;
  }

  boolean isOver() {
    return over;
  }

  int context() {
    return context;
  }

  /** Ends it before it has begun. */
  void refuse(Failure why) {
    over = true;
    outcome.onDone(why);
  }

  /** Why it cannot be done: one of its ranks has died. */
  @Nullable Failure endOfMember(Messenger messenger) {
    for (int member : members) {
      Failure end = messenger.end(member);
      if (end != null && end.kind() != Failure.Kind.RANK_LEFT) {
        return end;
      }
    }
    return null;
  }

  /** Ends it: what is under way is given up. */
  void abort(Messenger messenger, Failure why) {
    if (over || lent) {
      failure = failure == null ? why : failure;
      return;
    }
    Failure first = failure == null ? why : failure;
    failure = first;
    receives.forEach(messenger::abandon);
    sends.forEach(send -> messenger.abandon(send, first));
    end();
  }

  /**
   * Something in it has thrown that should not have. What is under way is given up; the other ranks
   * are not told, as nobody knows how far this round came.
   */
  void fail(Messenger messenger, Failure why) {
    if (over || lent) {
      failure = failure == null ? why : failure;
      return;
    }
    Failure first = failure == null ? why : failure;
    failure = first;
    thrown = true; // before anything that may throw, too
    if (pending > 0) {
      List.copyOf(receives).forEach(receive -> messenger.fail(receive, first));
      List.copyOf(sends).forEach(send -> messenger.fail(send, first));
    }
    end();
  }

  private void end() {
    if (!over && !lent && pending == 0) {
      over = true;
      try {
        if (failure == null) { // else something may be on its way from or to its memory
          schedule.release();
        }
      } finally {
        outcome.onDone(failure);
      }
    }
  }

  /**
   * Goes on as far as it can.
   *
   * @param foreign takes what the application has to do
   * @param mostBytes so many are copied or combined at most
   * @return work done
   */
  int advance(Messenger messenger, ForeignWork foreign, long mostBytes) {
    int work = 0;
    if (pending > 0 && lacksRank && failure != null) {
      abort(messenger, failure);
    }
    if (pending > 0 && thrown && failure != null) {
      fail(messenger, failure);
    }
    while (!over && !lent && pending == 0) {
      if (failure != null && !isTold(failure)) {
        end();
        return work + 1;
      }
      if (round == null) {
        Schedule.Round next = schedule.rounds().poll();
        if (next == null) {
          end();
          return work + 1;
        }
        begin(messenger, next);
      } else {
        Local local = failure == null ? round.locals.peek() : null;
        if (local == null) {
          round = null;
        } else if (local.isForeign()) {
          foreign.lend(this, local);
          lent = true; // what throws has lent nothing
        } else if (advance(messenger, local, mostBytes)) {
          Local unused = round.locals.remove();
        } else {
          return work + 1;
        }
      }
      work++;
    }
    return work;
  }

  /** Whether the others do the same operation, and are there, to be told of it. */
  private boolean isTold(Failure why) {
    return !lacksRank
        && (why.kind() == Failure.Kind.OPERATION || why.kind() == Failure.Kind.MEMORY);
  }

  private boolean advance(Messenger messenger, Local local, long mostBytes) {
    try {
      return local.advance(mostBytes);
    } catch (RuntimeException | InternalError e) {
      failure =
          Failure.of(
              Failure.Kind.MEMORY,
              "the memory of a collective operation cannot be used: "
                  + e
                  + "; keep its arena open until the request is done");
      return true;
    } catch (Error e) {
      messenger.errors().add(e);
      failure = Failure.unexpected(e); // which the other ranks are told, too
      return true;
    }
  }

  /** The application has done it. */
  void giveBack(@Nullable Failure why) {
    lent = false;
    if (failure == null) {
      failure = why;
    }
    Schedule.Round current = round;
    if (current != null) {
      Local unused = current.locals.remove();
    }
  }

  private void begin(Messenger messenger, Schedule.Round next) {
    round = next;
    receives.clear();
    sends.clear();
    boolean hasFailed = failure != null;
    for (Schedule.Part part : next.receives) {
      ReceiveOp[] op = new ReceiveOp[1];
      MemorySegment memory = hasFailed ? Schedule.NOTHING : part.memory();
      op[0] =
          new ReceiveOp(
              context,
              members[part.rank()],
              tag,
              memory,
              why -> onReceived(op[0], memory.byteSize(), why));
      receives.add(op[0]);
    }
    for (Schedule.Part part : next.sends) {
      int mark = hasFailed ? Mark.OF_FAILED : schedule.mark();
      MemorySegment memory = hasFailed ? Schedule.NOTHING : part.memory();
      sends.add(SendOp.marked(context, members[part.rank()], tag, mark, memory, this::onDone));
    }
    pending = receives.size() + sends.size();
    List.copyOf(receives).forEach(messenger::receive);
    List.copyOf(sends).forEach(messenger::send);
  }

  private void onReceived(ReceiveOp op, long expected, @Nullable Failure why) {
    boolean came = why == null || why.kind() == Failure.Kind.TRUNCATED;
    if (came && op.withMark() == Mark.OF_FAILED) {
      onDone(Failure.of(Failure.Kind.OPERATION, hasFailed(op)));
    } else if (came && op.withMark() != schedule.mark()) {
      String differ = Mark.differ(op.fromRank(), op.withMark(), schedule.mark());
      onDone(Failure.of(Failure.Kind.MISMATCH, differ));
    } else if (why != null && why.kind() == Failure.Kind.TRUNCATED) {
      onDone(Failure.of(Failure.Kind.MISMATCH, disagree(op, expected)));
    } else if (why == null && op.length() != expected) {
      onDone(Failure.of(Failure.Kind.MISMATCH, disagree(op, expected)));
    } else {
      onDone(why);
    }
  }

  private static String hasFailed(ReceiveOp op) {
    return "rank "
        + op.fromRank()
        + " could not do its part in a collective operation; it, or one that it depends on, tells"
        + " why";
  }

  private static String disagree(ReceiveOp op, long expected) {
    return "the ranks do not call the same collective operation with the same lengths: rank "
        + op.fromRank()
        + " sends "
        + op.length()
        + " bytes, and "
        + expected
        + " are expected of it";
  }

  private void onDone(@Nullable Failure why) {
    pending--;
    lacksRank |=
        why != null
            && (why.kind() == Failure.Kind.RANK_LEFT || why.kind() == Failure.Kind.UNREACHABLE);
    if (failure == null) {
      failure = why;
    }
  }
}
