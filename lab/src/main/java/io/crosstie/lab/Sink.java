// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.MemorySegment;

/** One stream at its receiving end: judges it, and notes when what was delivered. */
final class Sink implements Party.Delivery {
  private final Timeline timeline = new Timeline();
  private final StreamVerifier verifier;

  Sink(long seed) {
    this.verifier = new StreamVerifier(seed, 1);
  }

  @Override
  public void take(MemorySegment memory, long offset, long length) {
    timeline.delivered(System.nanoTime(), length);
    verifier.take(memory, offset, length);
  }

  Timeline timeline() {
    return timeline;
  }

  StreamVerifier verifier() {
    return verifier;
  }
}
