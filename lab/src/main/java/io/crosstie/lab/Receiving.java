// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** Receives all streams on one thread, for the reason that {@link Sending} gives. */
final class Receiving {
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  Receiving(Party party, List<Sink> sinks) {
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("lab-receive")
            .unstarted(
                () -> {
                  try {
                    party.receive(sinks);
                  } catch (RuntimeException | Error e) {
                    failure = e;
                  }
                });
  }

  void start() {
    thread.start();
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
