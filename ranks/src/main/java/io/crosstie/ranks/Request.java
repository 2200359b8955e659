// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An operation that goes on by itself: it can be tested and waited for, any number of times, by any
 * thread. Its memory is lent until it {@link #isDone()}; nothing has to be called for it to get on.
 *
 * <p>Waiting drives the library on the thread that waits. An interrupt neither ends nor fails it.
 */
public abstract class Request {
  private final World world;
  private @Nullable Failure failure;
  private volatile boolean done;

  Request(World world) {
    this.world = world;
  }

  World world() {
    return world;
  }

  /** Whoever makes progress: it is over. */
  void finish(@Nullable Failure why) {
    failure = why;
    done = true;
  }

  /** What a receive has got. */
  abstract Received received();

  /**
   * Takes the request back, if nothing has happened for it: a receive for which no message was
   * found, or a send that waits for room. It is done then, and says that it was cancelled.
   *
   * @return whether it was
   */
  public abstract boolean cancel();

  /** Whether it is over, in whatever way. */
  public final boolean isDone() {
    return isOver();
  }

  /** {@link #isDone}, of whatever kind of request. */
  boolean isOver() {
    return done;
  }

  /** Why it has failed, once it is over. */
  @Nullable Failure failure() {
    return failure;
  }

  /**
   * Whether it has done what was asked; drives the library once if it has not.
   *
   * @throws RanksException if it has failed
   */
  public final boolean test() {
    if (!isDone()) {
      world.drive();
    }
    boolean is = isDone();
    if (is) {
      check();
    }
    return is;
  }

  /**
   * Waits until it is done.
   *
   * @return what a receive has got
   * @throws RanksException if it has failed
   */
  public final Received await() {
    world.await(this::isDone);
    check();
    return received();
  }

  /**
   * The same for a while.
   *
   * @return whether it is done
   */
  public final boolean await(Duration patience) {
    boolean in = world.await(this::isDone, patience);
    if (in) {
      check();
    }
    return in;
  }

  /**
   * The same unless something else happens first.
   *
   * @param otherwise ends the wait as well once it holds; asked again and again, by this thread,
   *     every 10 ms at least and after each {@link World#announce}
   * @return whether it is done
   */
  public final boolean await(BooleanSupplier otherwise) {
    world.awaitEither(this::isDone, otherwise);
    return isDone();
  }

  /**
   * What a receive has got.
   *
   * @throws IllegalStateException if it is not done
   */
  public final Received result() {
    if (!isDone()) {
      throw new IllegalStateException("the request is not done; wait for it first");
    }
    check();
    return received();
  }

  private void check() {
    Failure why = failure();
    if (why != null) {
      throw exception(why);
    }
  }

  /** What is thrown of a failure. */
  RanksException exception(Failure why) {
    return RanksException.of(why);
  }

  // ------------------------------------------------------------------ several

  /**
   * Waits for all of them, also if some fail.
   *
   * @throws RanksException of the first one that has failed
   */
  public static void awaitAll(Collection<? extends Request> requests) {
    for (Request request : requests) {
      request.world.await(request::isDone);
    }
    requests.forEach(Request::check);
  }

  /** {@link #awaitAll(Collection)}. */
  public static void awaitAll(Request... requests) {
    awaitAll(List.of(requests));
  }

  /**
   * Waits until one of them is done.
   *
   * @return its index, the lowest of those that are done; -1 if there are none
   * @throws RanksException if it has failed
   */
  public static int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      return -1;
    }
    worldOf(requests).await(anyDone(requests));
    return testAny(requests);
  }

  /**
   * Waits until some of them are done.
   *
   * @return the indices of those that are, whether they have failed or not
   */
  public static List<Integer> awaitSome(List<? extends Request> requests) {
    if (!requests.isEmpty()) {
      worldOf(requests).await(anyDone(requests));
    }
    return testSome(requests);
  }

  /**
   * The same unless something else happens first.
   *
   * @param otherwise ends the wait as well once it holds; asked again and again, by this thread,
   *     every 10 ms at least and after each {@link World#announce}
   * @return the indices of those that are done, which may be none
   */
  public static List<Integer> awaitSome(
      List<? extends Request> requests, BooleanSupplier otherwise) {
    if (!requests.isEmpty()) {
      worldOf(requests).awaitEither(anyDone(requests), otherwise);
    }
    return done(requests);
  }

  private static World worldOf(List<? extends Request> requests) {
    Request first = requests.getFirst();
    return first.world;
  }

  private static BooleanSupplier anyDone(List<? extends Request> requests) {
    return () -> {
      for (Request request : requests) {
        if (request.isDone()) {
          return true;
        }
      }
      return false;
    };
  }

  private static void drive(List<? extends Request> requests) {
    if (!requests.isEmpty()) {
      worldOf(requests).drive();
    }
  }

  /**
   * Whether all are done.
   *
   * @throws RanksException of the first one that has failed, if all are done
   */
  public static boolean testAll(List<? extends Request> requests) {
    boolean all = requests.stream().allMatch(Request::isDone);
    if (!all) {
      drive(requests);
      all = requests.stream().allMatch(Request::isDone);
    }
    if (all) {
      requests.forEach(Request::check);
    }
    return all;
  }

  /**
   * The lowest index of those that are done, -1 if none is.
   *
   * @throws RanksException if that one has failed
   */
  public static int testAny(List<? extends Request> requests) {
    List<Integer> some = testSome(requests);
    if (some.isEmpty()) {
      return -1;
    }
    Request first = requests.get(some.getFirst());
    first.check();
    return some.getFirst();
  }

  /** The indices of those that are done, whether they have failed or not. */
  public static List<Integer> testSome(List<? extends Request> requests) {
    List<Integer> some = done(requests);
    if (some.isEmpty()) {
      drive(requests);
      some = done(requests);
    }
    return some;
  }

  private static List<Integer> done(List<? extends Request> requests) {
    List<Integer> some = new ArrayList<>();
    for (int i = 0; i < requests.size(); i++) {
      if (requests.get(i).isDone()) {
        some.add(i);
      }
    }
    return some;
  }
}
