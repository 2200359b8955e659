// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.lang.foreign.MemorySegment;

/** One stream at its receiving end: judges it, and notes when what was delivered. */
final class Sink implements Party.Delivery {
  private final Timeline timeline = new Timeline();
  private final Verifier verifier;

  Sink(Content content) {
    this.verifier = new Verifier(content);
  }

  @Override
  public void take(MemorySegment memory, long offset, long length) {
    timeline.delivered(System.nanoTime(), length);
    verifier.take(memory, offset, length);
  }

  Timeline timeline() {
    return timeline;
  }

  Verifier verifier() {
    return verifier;
  }
}
