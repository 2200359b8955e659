// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/** A rank that the operation needs has left or died. */
public final class RankEndedException extends RanksException {
  private static final long serialVersionUID = 1L;

  private final int rank;

  /** With a message for a person. */
  public RankEndedException(int rank, String message) {
    super(message);
    this.rank = rank;
  }

  /** The rank, by its number in the world. */
  public int rank() {
    return rank;
  }
}
