// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Told, inside a poll and on the polling thread, what became of a message that was lent. */
@FunctionalInterface
public interface SendCompletion {
  /**
   * The message was accepted, or consumed if that was asked for, or it never will be known to be.
   * Told once for each message, in the order of the channel. If it throws, it has been told all the
   * same, and the exception comes out of the poll; those that follow are told by the next one.
   *
   * @param completion says which message and how it ended; the same object for all messages of a
   *     channel, valid until return
   */
  void onComplete(Completion completion);
}
