// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class ChannelEngineTest {
  private static final int MIB = 1 << 20;
  private static final int LARGE = 5 * MIB;

  private final ChannelCore core =
      new ChannelCore(
          3,
          Priority.NORMAL,
          new ChannelLimits(64 * MIB, 64 << 10, MIB, MIB, MIB, 64 * MIB),
          new NodeMemory(64 * MIB, new BufferPool(64 * MIB)).share());
  private final ChannelEngine engine = core.engine();
  private final MemorySegment message = Arena.ofAuto().allocate(LARGE);

  @Test
  void theBacklogCountsTheMessageBehindOnceItMayLeave() {
    engine.connect(MIB, 64 * MIB);
    offer(LARGE);
    offer(LARGE);
    assertTrue(engine.announceNext());
    assertTrue(engine.onGrant(1));
    engine.takeBytes(LARGE - 100);
    assertEquals(100 + MIB, engine.backlogBytes(), "it may have to wait for its grant");
    assertTrue(engine.onGrant(2));
    assertEquals(100 + LARGE, engine.backlogBytes(), "it is granted");
    offer(1000);
    offer(1000);
    assertEquals(100 + LARGE + 2 * MIB, engine.backlogBytes(), "others are taken to be like it");
    engine.takeBytes(100);
    assertEquals(LARGE + 2 * 1000, engine.backlogBytes());
    engine.takeBytes(LARGE);
    assertEquals(2 * 1000, engine.backlogBytes());
    engine.takeWhole(1000);
    assertEquals(1000, engine.backlogBytes());
  }

  private void offer(int length) {
    assertTrue(core.offer(message, 0, length) > 0);
  }
}
