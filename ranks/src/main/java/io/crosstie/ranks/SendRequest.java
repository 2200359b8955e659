// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.SendOp;

/** A send. */
final class SendRequest extends Request implements RankProgress.Action {
  /** When it is done, and what it counts on. */
  enum Mode {
    STANDARD,
    SYNCHRONOUS,
    READY
  }

  private final SendOp op;

  SendRequest(World world, int context, int rank, int tag, Mode mode, Data data) {
    super(world);
    this.op =
        mode == Mode.READY
            ? SendOp.ready(context, rank, tag, data.segment(), this::finish)
            : new SendOp(
                context, rank, tag, mode == Mode.SYNCHRONOUS, data.segment(), this::finish);
  }

  void begin() {
    world().ask(this);
  }

  @Override
  public void run() {
    world().messenger().send(op);
  }

  @Override
  public void onThrown(Failure why) {
    world().messenger().fail(op, why);
  }

  @Override
  Received received() {
    return Received.NOTHING;
  }

  @Override
  public boolean cancel() {
    return !isDone() && world().call(() -> world().messenger().cancel(op));
  }
}
