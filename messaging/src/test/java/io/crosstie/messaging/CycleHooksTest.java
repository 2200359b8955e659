// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.crosstie.transport.Counters;
import java.util.ArrayDeque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What calls of hooks count for. */
final class CycleHooksTest {
  /** A hook that cannot even tell what it has contained does not keep a node awake for ever. */
  @Test
  void aHookThatThrowsWhenAskedCountsAsWorkForAWhile() {
    CycleHook hook =
        new CycleHook() {
          @Override
          public int onCycle(long nowNs) {
            return 0;
          }

          @Override
          public @Nullable Throwable takeError() {
            throw new IllegalStateException("planted");
          }
        };
    var counters = new Counters<>(NodeCounter.class);
    var hooks = new CycleHooks("n", List.of(hook), () -> 0, counters);
    for (int call = 0; call < CycleHooks.MOST_ERRORS; call++) {
      assertEquals(1, hooks.run(0));
    }
    assertEquals(0, hooks.run(0));
    assertEquals(CycleHooks.MOST_ERRORS + 1, counters.get(NodeCounter.HOOK_ERRORS));
  }

  /**
   * A hook that contains what is thrown in it: each of that is counted, however many calls in a row
   * tell of some, and what the calls have done counts as ever.
   */
  @Test
  void whatAHookContainsIsCountedAndItsWorkStands() {
    var left = new ArrayDeque<Throwable>();
    CycleHook hook =
        new CycleHook() {
          @Override
          public int onCycle(long nowNs) {
            return 3;
          }

          @Override
          public @Nullable Throwable takeError() {
            return left.poll();
          }
        };
    var counters = new Counters<>(NodeCounter.class);
    var hooks = new CycleHooks("n", List.of(hook), () -> 0, counters);
    long expected = 0;
    for (int call = 0; call < 3 * CycleHooks.MOST_ERRORS; call++) {
      left.add(new IllegalStateException("planted"));
      left.add(new AssertionError("planted"));
      assertEquals(3, hooks.run(0));
      expected += 2;
      assertEquals(expected, counters.get(NodeCounter.HOOK_ERRORS));
    }
    for (int i = 0; i < CycleHooks.MOST_TAKEN + 1; i++) {
      left.add(new IllegalStateException("planted"));
    }
    assertEquals(3, hooks.run(0));
    assertEquals(1, left.size()); // for the next call
    assertEquals(3, hooks.run(0));
    expected += CycleHooks.MOST_TAKEN + 1;
    assertEquals(expected, counters.get(NodeCounter.HOOK_ERRORS));
  }

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
