// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.p2p.Failure;

/** An operation has not done what was asked; the message says why, and what to do. */
public class RanksException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** With a message for a person. */
  public RanksException(String message) {
    super(message);
  }

  /** With a cause. */
  public RanksException(String message, Throwable cause) {
    super(message, cause);
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
