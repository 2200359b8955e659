// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Completion;
import io.crosstie.messaging.SendCompletion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Sends the same message again and again: small ones are offered, large ones are lent. */
final class DataSender {
  /**
   * Messages between two turns of the protocol: small ones that are offered together share packets.
   */
  static final int PER_TURN = 256;

  private static final int MAX_OFFER = 1 << 16;
  private static final int MAX_LENT = 4;

  private final Channel channel;
  private final MemorySegment message;
  private final SendCompletion returned = this::onReturned;
  private long sent;
  private int lent;
  private @Nullable String failure;

  DataSender(Channel channel, int size) {
    this.channel = channel;
    message = Arena.ofAuto().allocate(Math.max(1, size), 64).asSlice(0, size);
  }

  private void onReturned(Completion completion) {
    lent--;
    if (!completion.isDone()) {
      failure = completion.error();
    }
  }

  /** Sends once, if there is room. */
  boolean trySend() {
    if (failure != null) {
      throw new PerfException("a message failed: " + failure);
    }
    boolean large = message.byteSize() > MAX_OFFER;
    if (large && lent == MAX_LENT) {
      return false;
    }
    long sequence =
        large
            ? channel.send(message, 0, message.byteSize(), returned)
            : channel.offer(message, 0, message.byteSize());
    if (sequence > 0) {
      sent++;
      lent += large ? 1 : 0;
      return true;
    }
    if (sequence != Channel.BACK_PRESSURED && sequence != Channel.CONNECTING) {
      throw new PerfException("the connection ended, status " + sequence);
    }
    return false;
  }

  /** How many so far. */
  long sent() {
    return sent;
  }
}
