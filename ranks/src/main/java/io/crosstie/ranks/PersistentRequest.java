// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import java.util.Collection;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A send or receive that can be begun any number of times, one at a time, with the same memory. It
 * is done while it is not under way: then its memory is the caller's, and waiting for it returns at
 * once, the first time with nothing. One that is not used any more is left alone; a transfer that
 * is under way goes on.
 *
 * <p>Threads: any, but it is started by one at a time.
 */
public final class PersistentRequest extends Request {
  private final Supplier<Request> begin;
  private volatile @Nullable Request current;

  PersistentRequest(World world, Supplier<Request> begin) {
    super(world);
    this.begin = begin;
  }

  /**
   * Begins it.
   *
   * @throws IllegalStateException if it is under way
   */
  public void start() {
    if (!isOver()) {
      throw new IllegalStateException(
          "the request is under way already; wait for it before it is started again");
    }
    current = begin.get();
  }

  /**
   * Begins all of them, in that order.
   *
   * @throws IllegalStateException if one is under way; those before it have begun
   */
  public static void startAll(Collection<PersistentRequest> requests) {
    requests.forEach(PersistentRequest::start);
  }

  @Override
  boolean isOver() {
    Request on = current;
    return on == null || on.isDone();
  }

  @Override
  @Nullable Failure failure() {
    Request on = current;
    return on == null ? null : on.failure();
  }

  @Override
  Received received() {
    Request on = current;
    return on == null ? Received.NOTHING : on.received();
  }

  @Override
  RanksException exception(Failure why) {
    Request on = current;
    return on == null ? super.exception(why) : on.exception(why);
  }

  @Override
  public boolean cancel() {
    Request on = current;
    return on != null && on.cancel();
  }
}
