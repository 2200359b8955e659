// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.transport.Counters;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What calls of hooks count for. */
final class CycleHooksTest {
  /** What a call has done before it threw is told; one that always throws lets the node rest. */
  @Test
  void errorsCountAsWorkButNotForEver() {
    boolean[] isBad = {true};
    CycleHook bad =
        nowNs -> {
          if (isBad[0]) {
            throw new IllegalStateException("planted");
          }
          return 0;
        };
    CycleHook good = nowNs -> 0;
    var counters = new Counters<>(NodeCounter.class);
    var hooks = new CycleHooks("n", List.of(bad, good), () -> 0, counters);
    for (int round = 0; round < 2; round++) {
      isBad[0] = true;
      for (int i = 0; i < CycleHooks.MOST_ERRORS; i++) {
        assertEquals(1, hooks.run(0));
      }
      for (int i = 0; i < 3; i++) {
        assertEquals(0, hooks.run(0));
      }
      isBad[0] = false;
      assertEquals(0, hooks.run(0));
    }
    assertEquals(2 * (CycleHooks.MOST_ERRORS + 3), counters.get(NodeCounter.HOOK_ERRORS));
  }
}
