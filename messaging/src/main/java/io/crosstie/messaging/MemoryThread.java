// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.Arena;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one thread of this process that allocates and frees what takes long, so that no engine has to
 * (R37). It ends when there was nothing to do for a while.
 *
 * <p>What waits for it is bounded by who hands it over: an arena for each piece of a pool, and one
 * allocation of each pool.
 */
final class MemoryThread {
  private static final long KEEP_SECONDS = 5;
  private static final long FIRST_RETRY_MS = 10;
  private static final long MAX_RETRY_MS = 1_000;

  private static final ScheduledThreadPoolExecutor EXECUTOR = executor();

  private MemoryThread() {}

  private static ScheduledThreadPoolExecutor executor() {
    var executor =
        new ScheduledThreadPoolExecutor(
            1, work -> Thread.ofPlatform().daemon().name("crosstie-memory").unstarted(work));
    executor.setKeepAliveTime(KEEP_SECONDS, TimeUnit.SECONDS);
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /**
   * Has something done, in the order of the calls.
   *
   * @return false if there is no thread to be had now
   */
  static boolean run(Runnable work) {
    try {
      EXECUTOR.execute(work);
      return true;
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      return false;
    }
  }

  /** Closes an arena, as soon as no native call uses it any more; here and now if it has to be. */
  static void close(Arena arena) {
    if (!run(() -> closeOrRetry(arena, FIRST_RETRY_MS))) {
      closeOrRetry(arena, FIRST_RETRY_MS);
    }
  }

  private static void closeOrRetry(Arena arena, long retryMs) {
    try {
      arena.close();
    } catch (IllegalStateException e) { // an application's handler is in the middle of a call
      try {
        var unused =
            EXECUTOR.schedule(
                () -> closeOrRetry(arena, Math.min(2 * retryMs, MAX_RETRY_MS)),
                retryMs,
                TimeUnit.MILLISECONDS);
      } catch (RejectedExecutionException | OutOfMemoryError noThread) {
        // what is mapped stays mapped, and harms nobody
      }
    }
  }
}
