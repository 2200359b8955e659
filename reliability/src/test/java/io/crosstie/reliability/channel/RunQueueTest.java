// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.NoSuchElementException;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RunQueueTest {
  @Test
  void isAQueue() {
    Random random = new Random(1);
    RunQueue<String> rota = new RunQueue<>();
    ArrayDeque<String> model = new ArrayDeque<>();
    String[] names = new String[40];
    for (int i = 0; i < names.length; i++) {
      names[i] = "n" + i;
    }
    for (int step = 0; step < 20_000; step++) {
      String one = names[random.nextInt(names.length)];
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          rota.addLast(one);
          model.addLast(one);
        }
        case 2, 3 -> {
          assertSame(model.peekFirst(), rota.peekFirst());
          if (!model.isEmpty()) {
            assertSame(model.removeFirst(), rota.removeFirst());
          }
        }
        default -> {
          if (!model.contains(one)) {
            rota.forget(one); // and nobody else
          }
          if (random.nextInt(200) == 0) {
            rota.clear();
            model.clear();
          }
        }
      }
      assertEquals(model.size(), rota.size());
      assertEquals(model.isEmpty(), rota.isEmpty());
    }
  }

  @Test
  void nobodyIsFirstInAnEmptyOne() {
    RunQueue<String> rota = new RunQueue<>();
    assertTrue(rota.isEmpty());
    assertNull(rota.peekFirst());
    assertThrows(NoSuchElementException.class, rota::removeFirst);
  }
}
