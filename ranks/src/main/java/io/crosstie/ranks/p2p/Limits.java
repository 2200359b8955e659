// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

/**
 * Bounds, the same in all ranks of a job.
 *
 * @param eagerBytes longest message that is sent at once, beside its envelope
 * @param unexpectedMessages most messages that one rank may have sent to another and no receive
 *     there has taken, of point to point and of collective operations each; those behind them wait
 *     at the sender
 * @param unexpectedBytes most bytes of them; where they are used up a message is announced, and its
 *     data waits at the sender
 */
public record Limits(int eagerBytes, int unexpectedMessages, long unexpectedBytes) {
  /** Longest eager message in bytes: with its header it is still a small one of a channel. */
  public static final int MAX_EAGER = (64 << 10) - Envelope.BYTES;

  /** How many bytes of a stream go in one message. */
  static final int STREAM_BYTES = 48 << 10;

  /** So many of them in one turn. */
  static final int STREAM_TURN = 8;

  /** How many bytes go in one put. */
  static final long PUT_BYTES = 4 << 20;

  /** So many puts of one message are under way at most. */
  static final int PUTS_UNDER_WAY = 8;

  /** So many patterns one rank is asked for at a time; where more are awaited they wait in turn. */
  static final int MOST_WANTS = 1 << 14;

  /** So many sends that were given up are known: receives of older ones are not told. */
  static final int MOST_GIVEN_UP = 1 << 14;

  /** By the names that the application knows. */
  @Override
  public String toString() {
    return "eagerBytes "
        + eagerBytes
        + ", unexpectedMessages "
        + unexpectedMessages
        + " and unexpectedBytes "
        + unexpectedBytes
        + " between two ranks";
  }

  /** Checks them. */
  public Limits {
    if (eagerBytes < 0 || eagerBytes > MAX_EAGER) {
      throw new IllegalArgumentException(
          "the eager limit is 0 to " + MAX_EAGER + " bytes, not " + eagerBytes);
    }
    if (unexpectedMessages < 2) {
      throw new IllegalArgumentException(
          "a rank needs room for 2 unexpected messages of another, not " + unexpectedMessages);
    }
    if (unexpectedBytes < 0) {
      throw new IllegalArgumentException("unexpected bytes below zero: " + unexpectedBytes);
    }
  }
}
