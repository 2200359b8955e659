// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.testkit;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Interrupts a thread at any moment, again and again, until it is closed. Once it is, none follows;
 * the flag of the thread is as the last one, or the thread, has left it.
 */
public final class Interrupts implements AutoCloseable {
  private final AtomicBoolean over = new AtomicBoolean();
  private final Thread thread;

  /**
   * Begins.
   *
   * @param target the thread to interrupt
   */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  public Interrupts(Thread target) {
    thread =
        Thread.ofPlatform()
            .start(
                () -> {
                  while (!over.get()) {
                    target.interrupt();
                    Thread.yield();
                  }
                });
  }

  @Override
  @SuppressWarnings("ThreadPriorityCheck")
  public void close() {
    over.set(true);
    while (thread.isAlive()) {
      Thread.yield();
    }
  }
}
