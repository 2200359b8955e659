// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A communicator whose ranks stand in a grid, in the dialect of mpiJava. */
public final class Cartcomm extends Intracomm {
  private final CartTopology grid;

  Cartcomm(CartTopology grid) {
    this.grid = grid;
  }

  @Override
  public Cartcomm clone() {
    return dup();
  }

  @Override
  public Cartcomm dup() {
    return dupInto(new Cartcomm(grid));
  }

  @Override
  public Cartcomm iDup() {
    return CommCreation.begin(this, new Cartcomm(grid));
  }

  @Override
  public Cartcomm dupWithInfo(Info info) {
    return (Cartcomm) super.dupWithInfo(info);
  }

  @Override
  int topology() {
    return MPI.CART;
  }

  @Override
  int[][] neighbours() {
    return grid.neighbours(getRank());
  }

  /** What goes to the one before comes there from the one behind, and the other way round. */
  @Override
  int slot(int i) {
    return i ^ 1;
  }

  @Override
  int ownSlot(int i) {
    return i;
  }

  /** The grid, and this rank's place. */
  public CartParms Get() {
    return guard(() -> grid.parms(getRank()));
  }

  /** The rank at a place. */
  public int Rank(int[] coords) {
    return guard(() -> grid.rank(coords));
  }

  /** The place of a rank. */
  public int[] Coords(int rank) {
    return guard(() -> grid.coords(rank));
  }

  /** Whence and where data goes in a shift along a dimension. */
  public ShiftParms Shift(int direction, int disp) {
    return guard(() -> grid.shift(getRank(), direction, disp));
  }

  /** Grids of fewer dimensions: those that remain. All ranks call it. */
  public Cartcomm Sub(boolean[] remainDims) {
    return splitInto(
        () -> {
          int[] part = grid.part(remainDims, getRank());
          return new Wish<>(new Cartcomm(grid.sub(remainDims)), part[0], part[1]);
        });
  }

  /** The rank that this one would have in another grid, or MPI.UNDEFINED. */
  public int Map(int[] dims, boolean[] periods) {
    return guard(() -> CartTopology.map(dims, periods, getRank(), getSize()));
  }

  /** Fills zeros in dims so that the dimensions are as equal as can be. */
  public static void Dims_create(int nnodes, int[] dims) {
    CartTopology.create(nnodes, dims);
  }
}
