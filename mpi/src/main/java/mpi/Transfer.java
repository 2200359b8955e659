// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import io.crosstie.ranks.Received;
import io.crosstie.ranks.RequestCancelledException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;

/** Something under way: one operation of the ranks below, or several that belong together. */
abstract class Transfer {
  /** Takes the next step where what went before is done. Returns whether all of it is over. */
  abstract boolean advance();

  /** What is waited for just now. */
  abstract void pending(List<io.crosstie.ranks.Request> into);

  /** Once, when it is over: brings what came to its place, or throws what went wrong. */
  abstract Status finish();

  /** Takes it back if nothing has happened for it yet; it is over then. */
  boolean cancel() {
    return false;
  }

  /** Whether something may still have to be begun for it. */
  boolean hasSteps() {
    return true;
  }

  /** The same, which holds its communicator until it is over if it has steps to come. */
  static Transfer held(Comm by, Transfer of) {
    return of == null || !of.hasSteps() ? of : new Held(by, of);
  }

  /** Nothing has to be done. */
  static Transfer over(Status status) {
    return new Over(status, null);
  }

  /** It is over, and has failed. */
  static Transfer failed(RuntimeException why) {
    return new Over(null, why);
  }

  /** A message; the part is the one of a receive, null for a send. */
  static Transfer message(io.crosstie.ranks.Request request, Part part) {
    return new Message(request, part, 0);
  }

  /**
   * A receive of all that its part has, or of one byte if that is nothing; less is sent by a rank
   * that has failed.
   */
  static Transfer whole(io.crosstie.ranks.Request request, Part part) {
    return new Message(request, part, Math.max(1, part.bytes()));
  }

  /** A collective operation, and what this rank does by itself behind it. */
  static Transfer collective(io.crosstie.ranks.Request request, Runnable after) {
    return new One(request) {
      @Override
      Status finish() {
        Received unused = request().result();
        after.run();
        return Status.empty();
      }
    };
  }

  /** All of them. */
  static Transfer all(List<Transfer> parts) {
    return new All(parts);
  }

  /** One, and once it is over another one, which is begun by whoever waits for anything. */
  static Transfer inTurn(Transfer first, Supplier<Transfer> next) {
    return inAnyCase(
        first,
        failure -> {
          if (failure != null) {
            throw failure;
          }
          return next.get();
        });
  }

  /**
   * The same, also if the first one fails: others may wait for what this rank does next.
   *
   * @param next is given why the first one has failed, null if it has not
   */
  static Transfer inAnyCase(Transfer first, Function<RuntimeException, Transfer> next) {
    return new InTurn(first, next);
  }

  /** Begins all of them, or none that another rank's send could still meet. */
  static List<Transfer> begin(List<Supplier<Transfer>> all) {
    List<Transfer> begun = new ArrayList<>();
    try {
      all.forEach(each -> begun.add(each.get()));
      return begun;
    } catch (RuntimeException e) {
      abandon(begun);
      throw e;
    }
  }

  /**
   * Something that was begun together with others has failed: receives are taken back, and what is
   * under way already comes to its end.
   */
  static void abandon(List<Transfer> begun) {
    for (Transfer each : begun) {
      boolean unused = each.takeBack();
      Progress.orphan(each); // and no step: this may be within one
    }
  }

  /** What a step has thrown, whatever it is: it is over by that, and whoever waits is told. */
  static RuntimeException failure(Throwable e) {
    return e instanceof RuntimeException known ? known : MPIException.of(e);
  }

  /** {@link #cancel}, if it is a receive. */
  boolean takeBack() {
    return cancel();
  }

  /** Nothing. */
  private static final class Over extends Transfer {
    private final Status status;
    private final RuntimeException failure;

    Over(Status status, RuntimeException failure) {
      this.status = status;
      this.failure = failure;
    }

    @Override
    boolean advance() {
      return true;
    }

    @Override
    boolean hasSteps() {
      return false;
    }

    @Override
    void pending(List<io.crosstie.ranks.Request> into) {
      // nothing is
    }

    @Override
    Status finish() {
      if (failure != null) {
        throw failure;
      }
      return status;
    }
  }

  /** One operation. */
  private abstract static class One extends Transfer {
    private final io.crosstie.ranks.Request request;

    One(io.crosstie.ranks.Request request) {
      this.request = request;
    }

    io.crosstie.ranks.Request request() {
      return request;
    }

    @Override
    boolean advance() {
      return request.isDone();
    }

    @Override
    boolean hasSteps() {
      return false;
    }

    @Override
    void pending(List<io.crosstie.ranks.Request> into) {
      if (!request.isDone()) {
        into.add(request);
      }
    }
  }

  /** A message. */
  private static final class Message extends One {
    private final Part part;
    private final long leastBytes;

    Message(io.crosstie.ranks.Request request, Part part, long leastBytes) {
      super(request);
      this.part = part;
      this.leastBytes = leastBytes;
    }

    @Override
    Status finish() {
      try {
        Received received = request().result();
        if (part == null) {
          return Status.empty();
        }
        if (received.bytes() < leastBytes) {
          throw ObjectMessages.failedThere(received.source(), MPI.ERR_OTHER);
        }
        part.done(received.bytes());
        return Status.of(received);
      } catch (RequestCancelledException e) {
        return Status.cancelled();
      }
    }

    @Override
    boolean cancel() {
      return request().cancel();
    }

    @Override
    boolean takeBack() {
      return part != null && cancel();
    }
  }

  /** One after the other. */
  private static final class InTurn extends Transfer {
    private final Transfer first;
    private final Function<RuntimeException, Transfer> next;
    private Transfer second;
    private RuntimeException failure;

    InTurn(Transfer first, Function<RuntimeException, Transfer> next) {
      this.first = first;
      this.next = next;
      Progress.open(this);
    }

    @Override
    synchronized boolean advance() {
      if (second == null && failure == null && first.advance()) {
        try {
          second = next.apply(failureOf(first));
        } catch (Throwable e) {
          failure = failure(e);
        }
      }
      boolean over = failure != null || (second != null && second.advance());
      if (over) {
        Progress.close(this);
      }
      return over;
    }

    private static RuntimeException failureOf(Transfer over) {
      try {
        Status unused = over.finish();
        return null;
      } catch (Throwable e) {
        return failure(e);
      }
    }

    @Override
    synchronized void pending(List<io.crosstie.ranks.Request> into) {
      if (failure == null) {
        (second == null ? first : second).pending(into);
      }
    }

    @Override
    synchronized Status finish() {
      if (failure != null) {
        throw failure;
      }
      return second.finish();
    }
  }

  /** One whose communicator may be freed meanwhile. */
  private static final class Held extends Transfer {
    private final Comm by;
    private final Transfer of;
    private final AtomicBoolean over = new AtomicBoolean();

    Held(Comm by, Transfer of) {
      this.by = by;
      this.of = of;
      by.hold();
    }

    @Override
    boolean advance() {
      boolean is = of.advance();
      if (is && over.compareAndSet(false, true)) {
        by.release();
      }
      return is;
    }

    @Override
    void pending(List<io.crosstie.ranks.Request> into) {
      of.pending(into);
    }

    @Override
    Status finish() {
      return of.finish();
    }

    @Override
    boolean cancel() {
      return of.cancel();
    }

    @Override
    boolean takeBack() {
      return of.takeBack();
    }
  }

  /** Several. */
  private static final class All extends Transfer {
    private final List<Transfer> parts;

    All(List<Transfer> parts) {
      this.parts = parts;
    }

    @Override
    boolean advance() {
      boolean over = true;
      for (Transfer part : parts) {
        over &= part.advance();
      }
      return over;
    }

    @Override
    boolean hasSteps() {
      return parts.stream().anyMatch(Transfer::hasSteps);
    }

    @Override
    void pending(List<io.crosstie.ranks.Request> into) {
      parts.forEach(part -> part.pending(into));
    }

    @Override
    Status finish() {
      RuntimeException first = null;
      Status status = Status.empty();
      for (Transfer part : parts) {
        try {
          status = part.finish();
        } catch (Throwable e) {
          first = first == null ? failure(e) : first;
        }
      }
      if (first != null) {
        throw first;
      }
      return status;
    }
  }
}
