// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.match.Waiting;

/** A send that waits until the receiver, or the channel, has room for it. */
final class QueuedSend extends Waiting {
  private final SendOp op;
  private boolean early;

  QueuedSend(SendOp op) {
    super(op.context(), op.rank(), op.tag());
    this.op = op;
  }

  SendOp op() {
    return op;
  }

  /** Whether it was announced before its turn. */
  boolean isEarly() {
    return early;
  }

  void announcedEarly() {
    early = true;
  }
}
