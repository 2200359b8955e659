// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.MessageHandler.Action;
import java.lang.foreign.MemorySegment;

/** Calls the application's handler for the core; one for each channel, for one poll at a time. */
final class HandlerAdapter implements io.crosstie.reliability.channel.MessageHandler {
  private MessageHandler handler = (segment, offset, length, sequence) -> Channel.RETRY_LATER;

  /** For the poll that begins. */
  @SuppressWarnings("ReferenceEquality") // the very same one needs no store
  HandlerAdapter to(MessageHandler next) {
    if (handler != next) {
      handler = next;
    }
    return this;
  }

  @Override
  public Action onMessage(MemorySegment segment, long offset, long length, long sequence) {
    MessageHandler.Action action = handler.onMessage(segment, offset, length, sequence);
    if (action == Channel.CONTINUE) {
      return Action.CONTINUE;
    }
    return action == Channel.RETRY_LATER ? Action.RETRY_LATER : Action.BREAK;
  }
}
