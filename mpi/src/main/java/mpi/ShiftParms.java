// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** The two ranks of a shift. */
public class ShiftParms {
  /** Whence data comes. */
  public int rank_source;

  /** Where data goes. */
  public int rank_dest;

  ShiftParms(int source, int dest) {
    rank_source = source;
    rank_dest = dest;
  }

  /** Whence data comes. */
  public int getRankSource() {
    return rank_source;
  }

  /** Where data goes. */
  public int getRankDest() {
    return rank_dest;
  }
}
