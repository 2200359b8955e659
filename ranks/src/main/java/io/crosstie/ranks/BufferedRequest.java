// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.SendOp;

/** A send from a copy: it is done at once, and the copy is given back when it has left. */
final class BufferedRequest extends Request {
  BufferedRequest(World world, int context, int rank, int tag, Data data) {
    super(world);
    SendBuffer buffer = world.sendBuffer();
    Data copy = buffer.copy(data);
    long bytes = copy.byteSize();
    SendOp op =
        new SendOp(context, rank, tag, false, copy.segment(), why -> buffer.giveBack(bytes, why));
    boolean begun = false;
    try {
      world.ask(
          new RankProgress.Action() {
            @Override
            public void run() {
              world.messenger().send(op);
            }

            @Override
            public void onThrown(Failure why) {
              world.messenger().fail(op, why);
            }
          });
      begun = true;
    } finally {
      if (!begun) {
        buffer.giveBack(bytes, null);
      }
    }
  }

  @Override
  boolean isOver() {
    return true;
  }

  @Override
  Received received() {
    return Received.NOTHING;
  }

  @Override
  public boolean cancel() {
    return false;
  }
}
