// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.lang.foreign.MemorySegment;

/** Takes delivered messages, only inside a poll and on the polling thread. */
@FunctionalInterface
public interface MessageHandler {
  /** What a handler answers. */
  enum Action {
    /** The message is consumed. */
    CONTINUE,
    /** The message stays first in the queue, and the poll ends. */
    RETRY_LATER,
    /** The message is consumed, and the poll ends. */
    BREAK
  }

  /**
   * One message. If it throws, the message counts as consumed, since it was delivered, and the
   * exception comes out of the poll.
   *
   * @param segment read-only memory that holds the message; valid until return
   * @param offset of the first byte
   * @param length in bytes, 0 or more
   * @param sequence the message's number in its channel, counted from 1 without gaps
   */
  Action onMessage(MemorySegment segment, long offset, long length, long sequence);

  /**
   * The same of a message with a header, which lies in front of the offset.
   *
   * @param headerLength of it, 0 for none; offset and length are those of what follows it
   */
  default Action onMessage(
      MemorySegment segment, long offset, long length, long sequence, int headerLength) {
    return onMessage(segment, offset, length, sequence);
  }
}
