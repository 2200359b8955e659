// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;

/** An operation has not done what was asked; the message says why, and what to do. */
public class RanksException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private int source = Received.NOTHING.source();
  private int tag = Received.NOTHING.tag();

  /** With a message for a person. */
  public RanksException(String message) {
    super(message);
  }

  /** With a cause. */
  public RanksException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * Of a receive: the rank in its communicator that the message came from, or that it was to come
   * from; -1 if that is not known, and of all else.
   */
  public int source() {
    return source;
  }

  /** Of a receive: the message's tag, or the one that was asked for; -1 as {@link #source}. */
  public int tag() {
    return tag;
  }

  /** The same, of a receive. */
  static RanksException of(Failure failure, int source, int tag) {
    RanksException made = of(failure);
    made.source = source;
    made.tag = tag;
    return made;
  }

  /** A new one each time, so that its stack is that of who is told. */
  static RanksException of(Failure failure) {
    return switch (failure.kind()) {
      case RANK_ENDED, RANK_LEFT -> new RankEndedException(failure.rank(), failure.text());
      case TRUNCATED -> new TruncatedException(failure.text());
      case CANCELLED -> new RequestCancelledException(failure.text());
      case UNREACHABLE, MEMORY, CLOSED, MISMATCH, OPERATION -> new RanksException(failure.text());
    };
  }
}
