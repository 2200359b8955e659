// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.Arrays;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Reductions of objects: what all ranks have is gathered, and combined in their order by those that
 * need it. A rank that fails by itself takes its further steps all the same, and tells the others.
 */
final class Reductions {
  private Reductions() {}

  /**
   * What came of the first step at a rank.
   *
   * @param part the result, or room of its kind where it has failed; null at a rank that has none
   * @param failure why this rank has failed; null if it has not
   */
  record Combined(Part part, RuntimeException failure) {
    Object[] objects() {
      if (failure != null) {
        throw failure;
      }
      return part.objects();
    }
  }

  /**
   * Gathers what all have, and combines it at the root; then goes on, at all ranks, whatever has
   * happened.
   */
  static Transfer fold(Comm of, Part send, Op op, int root, Function<Combined, Transfer> then) {
    op.requireForObjects();
    int count = Math.toIntExact(send.bytes());
    boolean isRoot = of.rank == root;
    Object[] all = new Object[isRoot ? Math.multiplyExact(count, of.size) : 0];
    return Transfer.inAnyCase(
        of.gatherTransfer(packed(send), all, 0, count, MPI.OBJECT, root),
        failure ->
            then.apply(
                isRoot ? combine(all, count, of.size, op, failure) : new Combined(null, failure)));
  }

  private static Combined combine(
      Object[] all, int count, int ranks, Op op, RuntimeException before) {
    RuntimeException failure = before;
    if (failure == null) {
      try {
        return new Combined(part(op.fold(split(all, count, ranks))), null);
      } catch (Throwable e) { // whatever the program's operation does
        failure = Transfer.failure(e);
      }
    }
    return new Combined(part(new Object[0]), failure);
  }

  private static Part part(Object[] objects) {
    return Part.of(objects, 0, objects.length, MPI.OBJECT);
  }

  private static Part packed(Part part) {
    return part(part.objects());
  }

  private static Object[][] split(Object[] all, int count, int ranks) {
    Object[][] of = new Object[ranks][];
    for (int i = 0; i < ranks; i++) {
      of[i] = Arrays.copyOfRange(all, i * count, (i + 1) * count);
    }
    return of;
  }

  static Transfer reduce(Comm of, Part send, Part receive, Op op, int root) {
    receive.verify();
    return fold(
        of,
        send,
        op,
        root,
        combined -> {
          if (of.rank == root) {
            receive.store(combined.objects());
          } else if (combined.failure() != null) {
            throw combined.failure();
          }
          return Transfer.over(Status.empty());
        });
  }

  /** The first rank tells all others what came of it, be it that it cannot take it itself. */
  static Transfer allreduce(Comm of, Part send, Part receive, Op op) {
    receive.verify();
    Exchange with = of.nextExchange();
    Part[] none = new Part[of.size];
    return fold(
        of,
        send,
        op,
        0,
        combined -> {
          if (of.rank != 0) {
            return with.run(none, of.only(0, receive), combined.failure());
          }
          Part[] outs = new Part[of.size];
          Arrays.fill(outs, 1, of.size, combined.part());
          return andStore(with.run(outs, none, combined.failure()), receive, combined::objects);
        });
  }

  /** Once that is over, and well, brings objects to their place. */
  private static Transfer andStore(Transfer first, Part receive, Supplier<Object[]> what) {
    return Transfer.inTurn(
        first,
        () -> {
          receive.store(what.get());
          return Transfer.over(Status.empty());
        });
  }

  /**
   * Each rank gets its part.
   *
   * @param before objects of the ranks before this one
   */
  static Transfer reduceScatter(Comm of, Part send, Part mine, long before, Op op) {
    Object[] all = new Object[Math.toIntExact(send.bytes())];
    int from = Math.toIntExact(before);
    return andStore(
        allreduce(of, packed(send), part(all), op),
        mine,
        () -> Arrays.copyOfRange(all, from, from + Math.toIntExact(mine.bytes())));
  }

  /** Of the ranks up to this one, or only of those before it. */
  static Transfer scan(Comm of, Part send, Part receive, Op op, boolean inclusive) {
    receive.verify();
    op.requireForObjects();
    int count = Math.toIntExact(send.bytes());
    Object[] all = new Object[Math.multiplyExact(count, of.size)];
    int ranks = inclusive ? of.rank + 1 : of.rank;
    Transfer first = of.allgatherTransfer(packed(send), all, 0, count, MPI.OBJECT);
    return Transfer.inTurn(
        first,
        () -> {
          if (ranks > 0) {
            receive.store(op.fold(split(all, count, ranks)));
          }
          return Transfer.over(Status.empty());
        });
  }
}
