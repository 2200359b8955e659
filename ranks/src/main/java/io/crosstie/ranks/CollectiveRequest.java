// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.schedule.Execution;
import io.crosstie.ranks.schedule.Schedule;

/** A collective operation. */
final class CollectiveRequest extends Request implements RankProgress.Action {
  private final Execution execution;

  CollectiveRequest(World world, Schedule schedule, int context, int tag, int[] members) {
    super(world);
    this.execution = new Execution(schedule, context, tag, members, this::finish);
  }

  void begin() {
    world().ask(this);
  }

  @Override
  public void run() {
    world().executions().begin(execution);
  }

  @Override
  public void onThrown(Failure why) {
    world().executions().fail(execution, why);
  }

  @Override
  Received received() {
    return Received.NOTHING;
  }

  /** Never: other ranks count on this one. */
  @Override
  public boolean cancel() {
    return false;
  }
}
