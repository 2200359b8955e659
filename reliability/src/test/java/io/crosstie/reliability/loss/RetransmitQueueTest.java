// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelLimits;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.NodeMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

/** Priority holds for what is sent again as for what is new. */
class RetransmitQueueTest {
  private static final int MIB = 1 << 20;

  private final NodeMemory memory = new NodeMemory(64 * MIB, new BufferPool(64 * MIB));
  private final RetransmitQueue queue = new RetransmitQueue();

  private ChannelEngine channel(int number, Priority priority) {
    ChannelLimits limits = new ChannelLimits(MIB, 64 << 10, MIB, MIB, MIB, MIB);
    ChannelCore core = new ChannelCore(number, priority, limits, memory.share());
    MemorySegment message = Arena.ofAuto().allocate(100);
    for (int i = 0; i < 100; i++) {
      assertTrue(core.offer(message, 0, 100) > 0);
    }
    Priority unused = core.engine().takePriority();
    return core.engine();
  }

  private void lost(ChannelEngine channel, long seq) {
    queue.add(SentItem.EAGER, channel, seq, 0, 1, 1, -1, null, 0);
  }

  private String next(boolean normalFirst) {
    if (!queue.prune(normalFirst)) {
      return "nothing";
    }
    String which = queue.channel().number() + " " + queue.first();
    queue.take(1);
    return which;
  }

  @Test
  void highGoesFirstAndEachPriorityInItsOrder() {
    ChannelEngine bulk = channel(1, Priority.NORMAL);
    ChannelEngine high = channel(2, Priority.HIGH);
    for (int i = 1; i <= 20; i++) {
      lost(bulk, i);
    }
    lost(high, 1);
    lost(high, 2);
    assertEquals(22, queue.size());
    assertEquals("2 1", next(false));
    assertEquals("1 1", next(true), "it has its turn now and then");
    assertEquals("2 2", next(false));
    for (int i = 2; i <= 20; i++) {
      assertEquals("1 " + i, next(false));
    }
    assertEquals("nothing", next(false));
    lost(high, 3);
    assertEquals("2 3", next(true), "nothing else waits");
    assertTrue(queue.isEmpty());
    lost(bulk, 21);
    lost(high, 4);
    queue.clear();
    assertFalse(queue.prune(false));
  }
}
