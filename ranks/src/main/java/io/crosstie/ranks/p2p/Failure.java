// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

/**
 * Why an operation has not done what was asked.
 *
 * @param rank in the world, of {@link Kind#RANK_ENDED}, {@link Kind#RANK_LEFT} and {@link
 *     Kind#UNREACHABLE}; else -1
 * @param text for a person: what, and what to do
 */
public record Failure(Kind kind, int rank, String text) {
  /** What went wrong. */
  public enum Kind {
    /** A rank that it needs has died. */
    RANK_ENDED,
    /** A rank that it needs has left in order: all that it had sent before came. */
    RANK_LEFT,
    /** A rank that it needs is not connected, and cannot be any more unless it connects itself. */
    UNREACHABLE,
    /** The message is longer than the memory of the receive. */
    TRUNCATED,
    /** The memory could not be read or written. */
    MEMORY,
    /** It was cancelled. */
    CANCELLED,
    /** This rank leaves, or the communicator was freed. */
    CLOSED,
    /** Ranks do not agree on what they do. */
    MISMATCH,
    /** Code has failed: the application's, or, unexpectedly, some other. */
    OPERATION
  }

  /** Of what should not have thrown. */
  public static Failure unexpected(Throwable error) {
    return of(
        Kind.OPERATION, "unexpected: " + error + "; the log has more of it, all else goes on");
  }

  /** Without a rank. */
  public static Failure of(Kind kind, String text) {
    return new Failure(kind, -1, text);
  }
}
