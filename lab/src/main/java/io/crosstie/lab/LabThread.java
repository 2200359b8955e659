// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A thread of a process of the lab; how it failed is kept for who asks. */
final class LabThread {
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  LabThread(String name, Runnable work) {
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name(name)
            .unstarted(
                () -> {
                  try {
                    work.run();
                  } catch (RuntimeException | Error e) {
                    failure = e;
                  }
                });
  }

  void start() {
    thread.start();
  }

  /** Waits for its end. */
  void awaitEnd(Duration patience) throws InterruptedException {
    if (!thread.join(patience)) {
      throw new IllegalStateException("the thread " + thread.getName() + " does not end");
    }
  }

  /** Throws what ended it, if it failed. */
  void check() {
    Throwable cause = failure;
    if (cause != null) {
      throw new IllegalStateException(cause.toString(), cause);
    }
  }
}
