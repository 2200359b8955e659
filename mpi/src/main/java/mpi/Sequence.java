// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.List;
import java.util.function.Supplier;

/** Steps one behind the other, each of which is begun by whoever waits for anything. */
final class Sequence extends Transfer {
  private final Supplier<Transfer> next;
  private Transfer current;
  private boolean ended;
  private RuntimeException failure;

  private Sequence(Supplier<Transfer> next) {
    this.next = next;
    Progress.open(this);
  }

  /**
   * Begins.
   *
   * @param next the next step, once those before it are over; null at the end
   */
  static Transfer of(Supplier<Transfer> next) {
    Sequence made = new Sequence(next);
    boolean unused = made.advance();
    return made;
  }

  @Override
  synchronized boolean advance() {
    while (!ended && (current == null || current.advance())) {
      try {
        if (current != null) {
          Status unused = current.finish();
        }
        current = next.get();
        ended = current == null;
      } catch (Throwable e) {
        failure = failure(e);
        ended = true;
      }
    }
    if (ended) {
      Progress.close(this);
    }
    return ended;
  }

  @Override
  synchronized void pending(List<io.crosstie.ranks.Request> into) {
    if (!ended && current != null) {
      current.pending(into);
    }
  }

  @Override
  synchronized Status finish() {
    if (failure != null) {
      throw failure;
    }
    return Status.empty();
  }
}
