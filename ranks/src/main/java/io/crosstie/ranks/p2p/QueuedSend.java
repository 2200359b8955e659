// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.match.Waiting;

/** A send that waits until the receiver, or the channel, has room for it. */
final class QueuedSend extends Waiting {
  final SendOp op;

  /** It was taken, or cancelled; what is left of it is its place. */
  boolean gone;

  /** It was announced before its turn. */
  boolean early;

  QueuedSend(SendOp op) {
    super(op.context(), op.rank(), op.tag());
    this.op = op;
  }
}
