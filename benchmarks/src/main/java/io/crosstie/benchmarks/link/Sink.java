// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.MemorySegment;

/** Takes what arrives. */
@FunctionalInterface
public interface Sink {
  /**
   * A whole message; subjects without reassembly hand over pieces, and several small messages that
   * arrived in one piece.
   */
  void onData(MemorySegment memory, long offset, long length);
}
