// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A Cartesian grid, and this process's place in it. */
public class CartParms {
  /** Ranks in each dimension. */
  public int[] dims;

  /** Whether each dimension is a ring. */
  public boolean[] periods;

  /** This process's place. */
  public int[] coords;

  CartParms(int[] dims, boolean[] periods, int[] coords) {
    this.dims = dims;
    this.periods = periods;
    this.coords = coords;
  }

  /** How many dimensions there are. */
  public int getDimCount() {
    return dims.length;
  }

  /** Ranks in a dimension. */
  public int getDim(int i) {
    return dims[i];
  }

  /** Whether a dimension is a ring. */
  public boolean getPeriod(int i) {
    return periods[i];
  }

  /** This process's place in a dimension. */
  public int getCoord(int i) {
    return coords[i];
  }
}
