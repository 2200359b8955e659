// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.SendOp;

/** A send. */
final class SendRequest extends Request {
  private final SendOp op;

  SendRequest(World world, int context, int rank, int tag, boolean synchronous, Data data) {
    super(world);
    this.op = new SendOp(context, rank, tag, synchronous, data.segment(), this::finish);
  }

  void begin() {
    world().ask(() -> world().messenger().send(op));
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
