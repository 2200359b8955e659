// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.transport.Uninterruptibly;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Something that the engine's thread is to do for another thread. */
final class Command<T extends @Nullable Object> {
  private final Callable<T> action;
  private final CountDownLatch done = new CountDownLatch(1);
  private @Nullable T result;
  private @Nullable Throwable error;

  Command(Callable<T> action) {
    this.action = action;
  }

  /** The engine's thread. What goes wrong is told to whoever asked and does not hurt the engine. */
  void run() {
    try {
      result = action.call();
    } catch (Throwable t) {
      error = t;
    } finally {
      done.countDown();
    }
  }

  boolean isDone() {
    return done.getCount() == 0;
  }

  /**
   * Waits for that many milliseconds at most; an interrupt does not end it, since the action goes
   * on anyway, and is kept.
   */
  boolean await(long milliseconds) {
    return Uninterruptibly.await(
        TimeUnit.MILLISECONDS.toNanos(milliseconds),
        nanos -> done.await(nanos, TimeUnit.NANOSECONDS));
  }

  /** What came out; only when done. */
  @SuppressWarnings("NullAway") // the result is of the type T, which says whether it may be null
  T result() throws Exception {
    Throwable problem = error;
    if (problem instanceof Exception exception) {
      throw exception;
    }
    if (problem instanceof Error serious) {
      throw serious;
    }
    return result;
  }
}
