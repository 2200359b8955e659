// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DeadlineHeapTest {
  private static final long NONE = -1;

  private final DeadlineHeap<Integer> heap = new DeadlineHeap<>();
  private final List<DeadlineHeap.Entry<Integer>> entries = new ArrayList<>();

  /** Of each, {@link #NONE} if it is not in the heap. */
  private final long[] deadlines = new long[40];

  /** Entered, moved, taken out and taken when due, in any order, beside a plain list. */
  @Test
  void saysTheEarliestWhateverWasMoved() {
    Random random = new Random(7);
    for (int i = 0; i < deadlines.length; i++) {
      entries.add(new DeadlineHeap.Entry<>(i));
      deadlines[i] = NONE;
    }
    for (int step = 0; step < 20_000; step++) {
      int i = random.nextInt(deadlines.length);
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          deadlines[i] = random.nextInt(1000);
          heap.set(entries.get(i), deadlines[i]);
        }
        case 2 -> {
          heap.remove(entries.get(i));
          deadlines[i] = NONE;
        }
        default -> takeDue(random.nextInt(200));
      }
      assertEquals(earliest(), heap.earliestNs());
    }
  }

  private void takeDue(long nowNs) {
    Integer taken = heap.takeDue(nowNs);
    if (earliest() > nowNs) {
      assertNull(taken);
    } else {
      assertEquals(earliest(), deadlines[taken]);
      deadlines[taken] = Long.MAX_VALUE;
    }
  }

  private long earliest() {
    long earliest = Long.MAX_VALUE;
    for (long deadline : deadlines) {
      earliest = deadline == NONE ? earliest : Math.min(earliest, deadline);
    }
    return earliest;
  }
}
