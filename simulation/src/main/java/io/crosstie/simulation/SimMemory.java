// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.shm.OwnMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Native memory for the segments of one run, used again by the next run of the same thread. */
final class SimMemory {
  private static final ThreadLocal<Map<Long, ArrayDeque<MemorySegment>>> SPARE =
      ThreadLocal.withInitial(HashMap::new);

  private final Map<Long, ArrayDeque<MemorySegment>> spare = SPARE.get();
  private final List<MemorySegment> taken = new ArrayList<>();

  /** Memory that is zero, as an object of its own. */
  MemorySegment take(long bytes) {
    MemorySegment memory = spare.computeIfAbsent(bytes, b -> new ArrayDeque<>()).poll();
    if (memory == null) {
      memory = Arena.ofAuto().allocate(bytes, 64);
    }
    taken.add(memory);
    return memory.asSlice(0).fill((byte) 0);
  }

  /** One that was taken is not used any more. */
  void giveBack(MemorySegment segment) {
    for (int i = 0; i < taken.size(); i++) {
      MemorySegment memory = taken.get(i);
      if (memory.address() == segment.address()) {
        taken.remove(i);
        spare.computeIfAbsent(memory.byteSize(), b -> new ArrayDeque<>()).add(memory);
        return;
      }
    }
  }

  /** The run is over. */
  void giveBack() {
    for (MemorySegment memory : taken) {
      spare.computeIfAbsent(memory.byteSize(), b -> new ArrayDeque<>()).add(memory);
    }
    taken.clear();
  }

  /** Whether a process can be read here, as a peer reads it for a single copy. */
  static boolean isReadable() {
    return OwnMemory.isReadable();
  }

  /** As a peer reads this process; false if there is nothing to be read. */
  static boolean read(long address, MemorySegment into, long offset, long length) {
    return OwnMemory.read(address, into, offset, length);
  }
}
