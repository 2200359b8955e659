// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What an engine's thread has to log while its node goes on. A log handler is the application's,
 * and may write to a disk or a network that is slow; so one daemon thread of the process calls it
 * (R37). What comes while {@value #MAX_WAITING} lines wait is dropped, and the next line says how
 * many were.
 */
final class EngineLog {
  static final int MAX_WAITING = 256;

  private static final long KEEP_SECONDS = 5;
  private static final AtomicLong DROPPED = new AtomicLong();
  private static final ThreadPoolExecutor THREAD = thread();

  private EngineLog() {}

  private static ThreadPoolExecutor thread() {
    var executor =
        new ThreadPoolExecutor(
            1,
            1,
            KEEP_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            work -> Thread.ofPlatform().daemon().name("crosstie-log").unstarted(work));
    executor.allowCoreThreadTimeOut(true);
    return executor;
  }

  /** Never blocks. */
  static void log(System.Logger.Level level, String text, @Nullable Throwable error) {
    try {
      THREAD.execute(
          () -> {
            long dropped = DROPPED.getAndSet(0);
            String more = dropped == 0 ? "" : " (" + dropped + " lines before this were dropped)";
            log().log(level, text + more, error);
          });
    } catch (RejectedExecutionException | OutOfMemoryError e) {
      DROPPED.incrementAndGet();
    }
  }

  /** Asked for when there is something to log: to find the system's loggers takes a while. */
  private static System.Logger log() {
    return System.getLogger("io.crosstie");
  }
}
