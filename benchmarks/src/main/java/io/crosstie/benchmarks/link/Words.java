// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * For byte streams, which break anywhere: hands on whole words of {@link Content}, and keeps what
 * is left of the last one until the rest has come.
 */
final class Words {
  private final MemorySegment word = Arena.ofAuto().allocate(Content.WORD, Content.WORD);
  private int kept;

  /** Takes any piece; returns the number of calls of the sink. */
  int take(MemorySegment memory, long offset, long length, Sink sink) {
    long at = 0;
    int calls = 0;
    if (kept > 0) {
      at = Math.min(Content.WORD - kept, length);
      MemorySegment.copy(memory, offset, word, kept, at);
      kept += (int) at;
      if (kept < Content.WORD) {
        return 0;
      }
      kept = 0;
      sink.onData(word, 0, Content.WORD);
      calls++;
    }
    long whole = (length - at) / Content.WORD * Content.WORD;
    if (whole > 0) {
      sink.onData(memory, offset + at, whole);
      calls++;
    }
    kept = (int) (length - at - whole);
    MemorySegment.copy(memory, offset + at + whole, word, 0, kept);
    return calls;
  }
}
