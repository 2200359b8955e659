// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

/** A communicator whose ranks stand in a grid, in the dialect of Open MPI. */
public final class CartComm extends Intracomm {
  private final CartTopology grid;

  CartComm(CartTopology grid) {
    this.grid = grid;
  }

  @Override
  public CartComm clone() {
    return dup();
  }

  @Override
  public CartComm dup() {
    return dupInto(new CartComm(grid));
  }

  @Override
  public CartComm iDup() {
    return CommCreation.begin(this, new CartComm(grid));
  }

  @Override
  public CartComm dupWithInfo(Info info) {
    return (CartComm) super.dupWithInfo(info);
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
  public CartParms getTopo() {
    return guard(() -> grid.parms(getRank()));
  }

  /** The rank at a place. */
  public int getRank(int[] coords) {
    return guard(() -> grid.rank(coords));
  }

  /** The place of a rank. */
  public int[] getCoords(int rank) {
    return guard(() -> grid.coords(rank));
  }

  /** Whence and where data goes in a shift along a dimension. */
  public ShiftParms shift(int direction, int disp) {
    return guard(() -> grid.shift(getRank(), direction, disp));
  }

  /** Grids of fewer dimensions: those that remain. All ranks call it. */
  public CartComm sub(boolean[] remainDims) {
    return splitInto(
        () -> {
          int[] part = grid.part(remainDims, getRank());
          return new Wish<>(new CartComm(grid.sub(remainDims)), part[0], part[1]);
        });
  }

  /** The rank that this one would have in another grid, or MPI.UNDEFINED. */
  public int map(int[] dims, boolean[] periods) {
    return guard(() -> CartTopology.map(dims, periods, getRank(), getSize()));
  }

  /** Fills zeros in dims so that the dimensions are as equal as can be. */
  public static void createDims(int nnodes, int[] dims) {
    CartTopology.create(nnodes, dims);
  }
}
