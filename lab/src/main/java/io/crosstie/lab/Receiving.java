// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Receives one stream on a thread of its own, judges it, and notes when what was delivered. */
final class Receiving {
  private final Timeline timeline = new Timeline();
  private final Verifier verifier;
  private final Thread thread;
  private volatile @Nullable Throwable failure;

  Receiving(Party party, int stream, Setup.StreamPlan plan, Content content) {
    this.verifier = new Verifier(content);
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("receive-" + plan.name())
            .unstarted(
                () -> {
                  try {
                    party.receive(stream, plan.bytes(), this::take);
                  } catch (RuntimeException | Error e) {
                    failure = e;
                  }
                });
  }

  void start() {
    thread.start();
  }

  private void take(MemorySegment memory, long offset, long length) {
    timeline.delivered(System.nanoTime(), length);
    verifier.take(memory, offset, length);
  }

  Timeline timeline() {
    return timeline;
  }

  Verifier verifier() {
    return verifier;
  }

  @Nullable Throwable failure() {
    return failure;
  }
}
