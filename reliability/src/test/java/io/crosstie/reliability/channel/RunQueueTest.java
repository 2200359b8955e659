// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RunQueueTest {
  private static final class One extends RunQueue.Member {}

  @Test
  void isAQueue() {
    Random random = new Random(1);
    RunQueue<One> queue = new RunQueue<>(3);
    ArrayDeque<One> model = new ArrayDeque<>();
    One[] all = new One[40];
    for (int i = 0; i < all.length; i++) {
      all[i] = new One();
    }
    for (int step = 0; step < 20_000; step++) {
      One one = all[random.nextInt(all.length)];
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          boolean isNew = !model.contains(one);
          assertEquals(!isNew, queue.contains(one));
          assertEquals(isNew, queue.add(one));
          if (isNew) {
            model.addLast(one);
          }
        }
        case 2, 3 -> {
          assertSame(model.peekFirst(), queue.peekFirst());
          if (!model.isEmpty()) {
            assertSame(model.removeFirst(), queue.removeFirst());
          }
        }
        case 4 -> {
          queue.rotate();
          if (!model.isEmpty()) {
            model.addLast(model.removeFirst());
          }
        }
        default -> {
          if (!model.contains(one)) {
            queue.forget(one); // and nobody else
          }
          if (random.nextInt(200) == 0) {
            queue.clear();
            model.clear();
          }
        }
      }
      assertEquals(model.size(), queue.size());
      assertEquals(model.isEmpty(), queue.isEmpty());
    }
  }

  @Test
  void nobodyIsFirstInAnEmptyOne() {
    RunQueue<One> queue = new RunQueue<>(3);
    assertTrue(queue.isEmpty());
    assertNull(queue.peekFirst());
    assertThrows(NoSuchElementException.class, queue::removeFirst);
  }

  @Test
  void memberStandsInQueuesOfOneNumberOnceInAll() {
    One one = new One();
    RunQueue<One> high = new RunQueue<>(0);
    RunQueue<One> normal = new RunQueue<>(0);
    RunQueue<One> other = new RunQueue<>(31);
    assertTrue(high.add(one));
    assertFalse(normal.add(one));
    assertTrue(normal.contains(one));
    assertTrue(other.add(one));
    assertSame(one, high.removeFirst());
    assertTrue(other.contains(one));
    assertTrue(normal.add(one));
    normal.clear();
    assertFalse(high.contains(one));
    assertTrue(other.contains(one));
  }
}
