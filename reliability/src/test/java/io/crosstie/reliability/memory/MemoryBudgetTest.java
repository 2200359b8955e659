// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("R31")
class MemoryBudgetTest {
  private static final int PIECE = 1 << 10;

  private final MemoryBudget budget = new MemoryBudget(1 << 20);

  private static long fill(MemoryBudget.Account account) {
    long taken = 0;
    while (account.tryTake(PIECE)) {
      taken += PIECE;
    }
    return taken;
  }

  @Test
  void whoeverComesLaterFindsRoom() {
    List<MemoryBudget.Account> greedy = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      greedy.add(budget.account());
      assertTrue(fill(greedy.getLast()) >= budget.boundBytes() / 64, "peer " + i);
      assertTrue(budget.usedBytes() <= budget.boundBytes());
    }
    assertTrue(budget.usedBytes() < budget.boundBytes(), "room is always left");
    for (MemoryBudget.Account a : greedy) {
      a.give(a.chargedBytes());
    }
    assertEquals(0, budget.usedBytes());
  }

  @Test
  void whoIsAloneMayTakeAllAtOnce() {
    MemoryBudget.Account a = budget.account();
    assertTrue(a.tryTake(1 << 20));
    assertFalse(a.tryTake(1));
    assertFalse(budget.account().tryTake(1));
    assertEquals(2, budget.refusals());
    a.give(1 << 20);
    assertFalse(a.tryTake((1 << 20) + 1));
  }

  @Test
  void whatGrowsLeavesMoreRoomThanWhatIsNeeded() {
    MemoryBudget.Account a = budget.account();
    assertFalse(a.tryGrow(1 << 19, 1 << 19));
    assertEquals(0, budget.refusals(), "nobody waits for that");
    assertTrue(a.tryGrow(1 << 18, 1 << 18));
    assertTrue(a.tryTake(1 << 18));
  }

  @Test
  void aClosedAccountHasNothingAndGetsNothing() {
    MemoryBudget.Account a = budget.account();
    assertTrue(a.tryTake(5000));
    a.close();
    assertEquals(0, budget.usedBytes());
    assertFalse(a.tryTake(1));
    a.give(5000);
    a.close();
    assertEquals(0, budget.usedBytes());
    assertEquals(0, a.chargedBytes());
  }

  @Test
  void moreThanWasTakenCannotBeGivenBack() {
    MemoryBudget.Account a = budget.account();
    assertTrue(a.tryTake(10));
    assertThrows(IllegalStateException.class, () -> a.give(11));
    assertEquals(10, budget.usedBytes());
  }
}
