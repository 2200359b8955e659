// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.Put;
import java.util.function.ToLongFunction;

/**
 * The channels by which this node answers what the peer asks for: what became of answers is told
 * here, since no application polls for that. Engine thread.
 */
final class AnswerChannels implements ToLongFunction<Put> {
  private static final int FIRST = PlacementChannels.FIRST + PlacementChannels.PUTS;

  private final ChannelTable channels;
  private boolean isTelling;

  AnswerChannels(ChannelTable channels) {
    this.channels = channels;
  }

  /** Sends an answer; its sequence, or a status. */
  @Override
  public long applyAsLong(Put answer) {
    ChannelCore core = channels.channel(FIRST + (answer.length() > Placement.SHORT ? 1 : 0), null);
    if (core == null) {
      throw new IllegalStateException("a placement channel is always there");
    }
    long result = core.put(answer);
    if (result > 0) {
      channels.onSignal(core);
    }
    return result;
  }

  /** Something is new on one of them. */
  void onNews(ChannelCore core) {
    if (!isTelling) { // what is told may be answered otherwise
      isTelling = true;
      try {
        int unused = core.reportCompletions(Integer.MAX_VALUE);
      } finally {
        isTelling = false;
      }
    }
  }
}
