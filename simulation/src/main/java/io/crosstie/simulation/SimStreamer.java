// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.checksum.Accelerator;
import java.lang.foreign.MemorySegment;

/**
 * Streaming stores that are ordinary ones, on any machine: a run does not depend on the processor
 * that it runs on.
 */
final class SimStreamer implements Accelerator {
  static final SimStreamer INSTANCE = new SimStreamer();

  private SimStreamer() {}

  @Override
  public String name() {
    return "simulated";
  }

  @Override
  public void stream(
      MemorySegment source, long offset, MemorySegment destination, long at, long length) {
    MemorySegment.copy(source, offset, destination, at, length);
  }
}
