// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.Accelerators;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Streaming stores: what was put in by them is there, all of it, when the word that publishes it is
 * seen.
 */
@JCStressTest
@Outcome(id = "0, .*", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1, 1", expect = Expect.ACCEPTABLE, desc = "published, and all there")
@Outcome(expect = Expect.FORBIDDEN, desc = "published before it was there")
@State
public class StreamStress {
  private static final int LINES = 8;
  private static final int BYTES = LINES * SegmentLayout.LINE;

  private static final Accelerator ACCELERATOR = Accelerators.find();

  /** All states share it. */
  private static final MemorySegment SOURCE = filled();

  private final MemorySegment memory =
      Arena.ofAuto().allocate(SegmentLayout.LINE + BYTES, SegmentLayout.LINE);

  private static MemorySegment filled() {
    MemorySegment source = Arena.global().allocate(BYTES, SegmentLayout.LINE);
    source.fill((byte) 1);
    return source;
  }

  @Actor
  public void producer() {
    if (ACCELERATOR != null) {
      ACCELERATOR.stream(SOURCE, 0, memory, SegmentLayout.LINE, BYTES);
      ACCELERATOR.order();
    } else {
      MemorySegment.copy(SOURCE, 0, memory, SegmentLayout.LINE, BYTES);
    }
    SegmentLayout.LONG.setRelease(memory, 0L, 1L);
  }

  @Actor
  public void consumer(II_Result r) {
    r.r1 = (int) (long) SegmentLayout.LONG.getAcquire(memory, 0L);
    int there = 1;
    for (long at = BYTES; at > 0; at -= Long.BYTES) { // the last ones first: they left last
      long word = memory.get(JAVA_LONG, SegmentLayout.LINE - Long.BYTES + at);
      there = word == 0x0101_0101_0101_0101L ? there : 0;
    }
    r.r2 = there;
  }
}
