// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.match.Posted;
import io.crosstie.ranks.p2p.Arrived;
import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.ReceiveOp;
import org.jspecify.annotations.Nullable;

/** A receive. */
final class ReceiveRequest extends Request implements RankProgress.Action {
  private final Communicator communicator;
  private final ReceiveOp op;

  /** What a probe has taken for it. */
  private @Nullable Arrived message;

  ReceiveRequest(Communicator communicator, int rank, int tag, Data data) {
    super(communicator.world());
    this.communicator = communicator;
    this.op = new ReceiveOp(communicator.context(), rank, tag, data.segment(), this::finish);
  }

  void begin() {
    world().ask(this);
  }

  void begin(Arrived taken) {
    message = taken;
    world().ask(this);
  }

  @Override
  public void run() {
    Arrived taken = message;
    if (taken == null) {
      world().messenger().receive(op);
    } else {
      message = null;
      world().messenger().receiveMatched(taken, op);
    }
  }

  @Override
  public void onThrown(Failure why) {
    world().messenger().fail(op, why);
  }

  @Override
  Received received() {
    return new Received(communicator.rankOf(op.fromRank()), op.withTag(), op.length());
  }

  /** With whom it was about, as far as it was said or came to be known. */
  @Override
  RanksException exception(Failure why) {
    int from = op.fromRank() == Posted.ANY ? op.source() : op.fromRank();
    int with = op.withTag() == Posted.ANY ? op.tag() : op.withTag();
    return RanksException.of(
        why, communicator.rankOf(from == Posted.ANY ? why.rank() : from), with);
  }

  @Override
  public boolean cancel() {
    return !isDone() && world().call(() -> world().messenger().cancel(op));
  }
}
