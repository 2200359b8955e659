// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.Messenger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The collective operations of one rank that are on their way. Whoever makes progress. */
public final class Executions {
  private static final long BYTES_AT_A_TIME = 256 << 10;

  /** What the application has to do. */
  public static final class Lent {
    private final Execution execution;
    private final Local local;

    Lent(Execution execution, Local local) {
      this.execution = execution;
      this.local = local;
    }

    /**
     * Any thread, once: does it.
     *
     * @return what went wrong, to be given back
     */
    public @Nullable Failure run() {
      try {
        boolean unused = local.advance(Long.MAX_VALUE);
        return null;
      } catch (RuntimeException | Error e) {
        return Failure.of(Failure.Kind.OPERATION, "the operation of a reduction has thrown " + e);
      }
    }
  }

  private final Messenger messenger;
  private final List<Execution> running = new ArrayList<>();
  private final Deque<Lent> lent = new ArrayDeque<>();

  /** None is. */
  public Executions(Messenger messenger) {
    this.messenger = messenger;
  }

  /** How many there are. */
  public int running() {
    return running.size();
  }

  /** One more. */
  public void begin(Execution execution) {
    Failure freed = messenger.hold(execution.context());
    if (freed != null) {
      execution.refuse(freed);
      return;
    }
    running.add(execution);
    Failure end = execution.endOfMember(messenger);
    if (end != null) {
      execution.abort(messenger, end);
    }
  }

  /** Something in it has thrown that should not have: it is over, or soon will be, and says why. */
  public void fail(Execution execution, Failure why) {
    execution.fail(messenger, why);
    removeOver();
  }

  /**
   * All go on as far as they can. One that throws has failed; that keeps no other one, and the
   * error is among the messenger's ({@link Messenger#errors}).
   *
   * @return work done
   */
  public int progress() {
    int work = 0;
    if (!running.isEmpty()) {
      for (Execution execution : List.copyOf(running)) {
        work += advance(execution);
      }
      removeOver();
    }
    return work;
  }

  private int advance(Execution execution) {
    try {
      return execution.advance(
          messenger, (of, local) -> lent.add(new Lent(of, local)), BYTES_AT_A_TIME);
    } catch (RuntimeException | Error e) {
      messenger.errors().add(e);
      try {
        execution.fail(messenger, Failure.unexpected(e));
      } catch (RuntimeException | Error again) {
        messenger.errors().add(again);
      }
      return 1;
    }
  }

  private void removeOver() {
    boolean unused =
        running.removeIf(
            execution -> {
              if (execution.isOver()) {
                messenger.release(execution.context());
              }
              return execution.isOver();
            });
  }

  /** What the application has to do, null if there is nothing. */
  public @Nullable Lent borrow() {
    return lent.poll();
  }

  /** It was done. */
  public void giveBack(Lent done, @Nullable Failure failure) {
    done.execution.giveBack(failure);
  }

  /**
   * A rank is no more. If it has died, what has it as a member ends. If it has left, it may have
   * done its part: what needs something from it that has not come ends by that.
   */
  public void onEnd(int rank, Failure failure) {
    if (failure.kind() == Failure.Kind.RANK_LEFT) {
      return;
    }
    for (Execution execution : List.copyOf(running)) {
      if (execution.hasMember(rank)) {
        execution.abort(messenger, failure);
      }
    }
    removeOver();
  }

  /** Whether none is on its way. */
  public boolean isQuiet() {
    return running.isEmpty();
  }
}
