// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpi;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A Cartesian grid; ranks by rows. */
record CartTopology(int[] dims, boolean[] periods) {
  static CartTopology of(int[] dims, boolean[] periods, int size) {
    Checks.array(dims, "dimensions");
    if (dims.length != Checks.array(periods, "periods").length) {
      throw MPIException.of(MPI.ERR_DIMS, "dims and periods are of different lengths");
    }
    CartTopology made = new CartTopology(dims.clone(), periods.clone());
    if (made.nodes() > size) {
      throw MPIException.of(
          MPI.ERR_TOPOLOGY,
          "a grid of " + Arrays.toString(dims) + " has no room in " + size + " ranks");
    }
    return made;
  }

  int nodes() {
    int nodes = 1;
    for (int dim : dims) {
      if (dim <= 0) {
        throw MPIException.of(MPI.ERR_DIMS, "a dimension of " + dim);
      }
      nodes = Math.multiplyExact(nodes, dim);
    }
    return nodes;
  }

  int rank(int[] coords) {
    if (Checks.array(coords, "coordinates").length != dims.length) {
      throw MPIException.of(
          MPI.ERR_ARG, coords.length + " coordinates in " + dims.length + " dimensions");
    }
    int rank = 0;
    for (int i = 0; i < dims.length; i++) {
      int at = periods[i] ? Math.floorMod(coords[i], dims[i]) : coords[i];
      if (at < 0 || at >= dims[i]) {
        throw MPIException.of(
            MPI.ERR_ARG, "coordinate " + at + " is none of 0 to " + (dims[i] - 1));
      }
      rank = rank * dims[i] + at;
    }
    return rank;
  }

  int[] coords(int rank) {
    if (rank < 0 || rank >= nodes()) {
      throw MPIException.of(MPI.ERR_RANK, "rank " + rank + " is none of 0 to " + (nodes() - 1));
    }
    int[] coords = new int[dims.length];
    int rest = rank;
    for (int i = dims.length - 1; i >= 0; i--) {
      coords[i] = rest % dims[i];
      rest /= dims[i];
    }
    return coords;
  }

  private int shifted(int rank, int direction, int by) {
    int[] coords = coords(rank);
    int at = coords[direction] + by;
    if (!periods[direction] && (at < 0 || at >= dims[direction])) {
      return MPI.PROC_NULL;
    }
    coords[direction] = Math.floorMod(at, dims[direction]);
    return rank(coords);
  }

  ShiftParms shift(int rank, int direction, int by) {
    if (direction < 0 || direction >= dims.length) {
      throw MPIException.of(
          MPI.ERR_ARG, "direction " + direction + " is none of 0 to " + (dims.length - 1));
    }
    return new ShiftParms(shifted(rank, direction, -by), shifted(rank, direction, by));
  }

  /** In each dimension the one before, and the one behind. */
  int[][] neighbours(int rank) {
    int[] all = new int[2 * dims.length];
    for (int i = 0; i < dims.length; i++) {
      all[2 * i] = shifted(rank, i, -1);
      all[2 * i + 1] = shifted(rank, i, 1);
    }
    return new int[][] {all, all};
  }

  CartTopology sub(boolean[] remain) {
    List<Integer> kept = new ArrayList<>();
    for (int i = 0; i < dims.length; i++) {
      if (remain[i]) {
        kept.add(i);
      }
    }
    boolean[] rings = new boolean[kept.size()];
    for (int i = 0; i < rings.length; i++) {
      rings[i] = periods[kept.get(i)];
    }
    return new CartTopology(kept.stream().mapToInt(i -> dims[i]).toArray(), rings);
  }

  /** Which of the grids of fewer dimensions a rank is in, and where in it. */
  int[] part(boolean[] remain, int rank) {
    if (Checks.array(remain, "dimensions that remain").length
        < dims.length) { // a longer array's rest does not count, as in C
      throw MPIException.of(MPI.ERR_ARG, "one value is needed for each dimension");
    }
    int[] coords = coords(rank);
    int color = 0;
    int key = 0;
    for (int i = 0; i < dims.length; i++) {
      if (remain[i]) {
        key = key * dims[i] + coords[i];
      } else {
        color = color * dims[i] + coords[i];
      }
    }
    return new int[] {color, key};
  }

  CartParms parms(int rank) {
    return new CartParms(dims.clone(), periods.clone(), coords(rank));
  }

  /** The rank that would be this one's in another grid, or MPI.UNDEFINED. */
  static int map(int[] dims, boolean[] periods, int rank, int size) {
    return rank < of(dims, periods, size).nodes() ? rank : MPI.UNDEFINED;
  }

  /** Fills zeros in dims, as equal as can be, larger ones first. */
  static void create(int nodes, int[] dims) {
    if (nodes < 1) {
      throw MPIException.of(MPI.ERR_ARG, "a grid of " + nodes + " nodes");
    }
    int rest = nodes;
    int open = 0;
    for (int dim : Checks.array(dims, "dimensions")) {
      if (dim < 0) {
        throw MPIException.of(MPI.ERR_DIMS, "a dimension of " + dim);
      }
      if (dim == 0) {
        open++;
      } else {
        if (rest % dim != 0) {
          throw MPIException.of(
              MPI.ERR_DIMS, nodes + " nodes are no multiple of " + Arrays.toString(dims));
        }
        rest /= dim;
      }
    }
    if (open == 0) {
      if (rest != 1) {
        throw MPIException.of(MPI.ERR_DIMS, Arrays.toString(dims) + " are not " + nodes + " nodes");
      }
      return;
    }
    int[] found = balanced(rest, open, rest);
    int next = 0;
    for (int i = 0; i < dims.length; i++) {
      if (dims[i] == 0) {
        dims[i] = found[next++];
      }
    }
  }

  /** The factors whose largest one is smallest, in falling order; none is above the bound. */
  private static int[] balanced(int product, int howMany, int most) {
    if (howMany == 1) {
      return product <= most ? new int[] {product} : null;
    }
    for (int first = 1; first <= most; first++) {
      if (product % first == 0) {
        int[] others = balanced(product / first, howMany - 1, first);
        if (others != null) {
          int[] all = new int[howMany];
          all[0] = first;
          System.arraycopy(others, 0, all, 1, others.length);
          return all;
        }
      }
    }
    return null;
  }
}
