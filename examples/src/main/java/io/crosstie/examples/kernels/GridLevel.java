// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Request;
import java.util.Arrays;

/**
 * One level of MG's grid: n points in each direction, round which it is closed. Ranks share it as
 * boxes, or each has all of it where boxes would be too small to be worth messages. Arrays hold a
 * rank's box and one layer of others' points around it (its halo); x runs first.
 */
final class GridLevel {
  private static final int LEAST = 4;
  private static final int UP = 1;
  private static final int DOWN = 2;

  private final Communicator all;
  private final int n;

  /** How many boxes along x, y and z, and which of them is this rank's. */
  private final int[] boxes = {1, 1, 1};

  private final int[] place = new int[3];

  /** Points of a box with the halo, and from one point to the next one. */
  private final int[] extent = new int[3];

  private final int[] step = new int[3];
  private final double[] near;
  private final double[] diagonal;

  /** The level of so many points along each side. */
  GridLevel(Communicator all, int n) {
    this.all = all;
    this.n = n;
    int[] shared = boxes(all.size());
    if (n / shared[2] >= LEAST) { // z is cut the most often
      System.arraycopy(shared, 0, boxes, 0, 3);
    }
    int left = all.rank();
    for (int i = 0; i < 3; i++) {
      place[i] = left % boxes[i];
      left = left / boxes[i];
      extent[i] = n / boxes[i] + 2;
      step[i] = i == 0 ? 1 : step[i - 1] * extent[i - 1];
    }
    this.near = new double[extent[0]];
    this.diagonal = new double[extent[0]];
  }

  /** Along x, y and z; their product is that power of two. */
  static int[] boxes(int ranks) {
    int[] boxes = {1, 1, 1};
    int next = 2;
    for (int left = ranks; left > 1; left /= 2) {
      boxes[next] *= 2;
      next = (next + 2) % 3;
    }
    return boxes;
  }

  /** Whether each rank has all of it. */
  boolean isWhole() {
    return boxes[0] * boxes[1] * boxes[2] == 1;
  }

  double[] array() {
    return new double[step[2] * extent[2]];
  }

  /** Points of this rank's box along a direction. */
  int points(int direction) {
    return extent[direction] - 2;
  }

  /** The first of them in the whole grid. */
  int first(int direction) {
    return place[direction] * points(direction);
  }

  int n() {
    return n;
  }

  /** Where a point of the box is in an array; from 0, the halo, on. */
  int at(int x, int y, int z) {
    return x + y * step[1] + z * step[2];
  }

  // ------------------------------------------------------------------ the halo

  /** Fetches the halo: one direction after the other, so that edges and corners come, too. */
  void exchange(double[] array) {
    for (int direction = 0; direction < 3; direction++) {
      int last = points(direction);
      if (boxes[direction] == 1) {
        double[] layer = layer(direction);
        pack(array, direction, last, layer);
        unpack(array, direction, 0, layer);
        pack(array, direction, 1, layer);
        unpack(array, direction, last + 1, layer);
      } else {
        exchange(array, direction, last);
      }
    }
  }

  private void exchange(double[] array, int direction, int last) {
    int above = neighbor(direction, 1);
    int below = neighbor(direction, -1);
    double[] fromBelow = layer(direction);
    double[] fromAbove = layer(direction);
    double[] toAbove = layer(direction);
    double[] toBelow = layer(direction);
    pack(array, direction, last, toAbove);
    pack(array, direction, 1, toBelow);
    Request.awaitAll(
        all.irecv(fromBelow, below, UP),
        all.irecv(fromAbove, above, DOWN),
        all.isend(toAbove, above, UP),
        all.isend(toBelow, below, DOWN));
    unpack(array, direction, 0, fromBelow);
    unpack(array, direction, last + 1, fromAbove);
  }

  private int neighbor(int direction, int side) {
    int[] of = place.clone();
    of[direction] = Math.floorMod(of[direction] + side, boxes[direction]);
    return of[0] + boxes[0] * (of[1] + boxes[1] * of[2]);
  }

  private double[] layer(int direction) {
    return new double[step[2] * extent[2] / extent[direction]];
  }

  private void pack(double[] array, int direction, int index, double[] layer) {
    int one = direction == 0 ? 1 : 0;
    int other = direction == 2 ? 1 : 2;
    int to = 0;
    for (int i = 0; i < extent[other]; i++) {
      int from = index * step[direction] + i * step[other];
      for (int k = 0; k < extent[one]; k++, from += step[one]) {
        layer[to++] = array[from];
      }
    }
  }

  private void unpack(double[] array, int direction, int index, double[] layer) {
    int one = direction == 0 ? 1 : 0;
    int other = direction == 2 ? 1 : 2;
    int from = 0;
    for (int i = 0; i < extent[other]; i++) {
      int to = index * step[direction] + i * step[other];
      for (int k = 0; k < extent[one]; k++, to += step[one]) {
        array[to] = layer[from++];
      }
    }
  }

  // ------------------------------------------------------------------ operators

  /**
   * Sums of the neighbours of a row: of those that differ in y or in z, and in both; a neighbour in
   * x of what the first sum has differs in two directions, and of the second in three.
   */
  private void sumRow(double[] of, int row) {
    int y = step[1];
    int z = step[2];
    for (int x = 0; x < extent[0]; x++) {
      int at = row + x;
      near[x] = of[at - y] + of[at + y] + of[at - z] + of[at + z];
      diagonal[x] = of[at - y - z] + of[at + y - z] + of[at - y + z] + of[at + y + z];
    }
  }

  private double stencil(double[] of, int row, int x, double[] weights) {
    return weights[0] * of[row + x]
        + weights[1] * (of[row + x - 1] + of[row + x + 1] + near[x])
        + weights[2] * (diagonal[x] + near[x - 1] + near[x + 1])
        + weights[3] * (diagonal[x - 1] + diagonal[x + 1]);
  }

  /**
   * Result = base + W of, without the halo.
   *
   * @param weights of a point, and of neighbours that differ in one, two and three directions
   * @param of with its halo
   * @param result may be the base
   */
  void apply(double[] weights, double[] of, double[] base, double[] result) {
    for (int z = 1; z <= points(2); z++) {
      for (int y = 1; y <= points(1); y++) {
        int row = at(0, y, z);
        sumRow(of, row);
        for (int x = 1; x <= points(0); x++) {
          result[row + x] = base[row + x] + stencil(of, row, x, weights);
        }
      }
    }
  }

  /**
   * Weighted means of this level's points at each second point, which are those of the coarser
   * level, without its halo.
   *
   * @param of with its halo
   */
  void restrict(double[] weights, double[] of, GridLevel coarser, double[] result) {
    int[] offset = offset(coarser);
    for (int z = 1; z <= points(2) / 2; z++) {
      for (int y = 1; y <= points(1) / 2; y++) {
        int row = at(0, 2 * y, 2 * z);
        int to = coarser.at(offset[0], offset[1] + y, offset[2] + z);
        sumRow(of, row);
        for (int x = 1; x <= points(0) / 2; x++) {
          result[to + x] = stencil(of, row, 2 * x, weights);
        }
      }
    }
    if (coarser.isWhole() && !isWhole()) {
      coarser.gather(boxes, place, result);
    }
  }

  /** Where this rank's points are in its box of the coarser level, which may be the whole. */
  private int[] offset(GridLevel coarser) {
    int[] offset = new int[3];
    if (coarser.isWhole() && !isWhole()) {
      Arrays.setAll(offset, i -> first(i) / 2);
    }
    return offset;
  }

  /** Each rank has made its part of a level that all have; all get those of the others. */
  private void gather(int[] parts, int[] mine, double[] array) {
    int[] points = new int[3];
    Arrays.setAll(points, i -> n / parts[i]);
    double[] part = new double[points[0] * points[1] * points[2]];
    copy(array, mine, points, part, 0, false);
    double[] whole = new double[part.length * all.size()];
    all.allgather(Data.of(part), Data.of(whole));
    for (int rank = 0; rank < all.size(); rank++) {
      int[] of = {rank % parts[0], rank / parts[0] % parts[1], rank / parts[0] / parts[1]};
      copy(array, of, points, whole, rank * part.length, true);
    }
  }

  private void copy(
      double[] array, int[] part, int[] points, double[] packed, int begin, boolean unpacks) {
    int next = begin;
    for (int z = 0; z < points[2]; z++) {
      for (int y = 0; y < points[1]; y++) {
        int row =
            at(part[0] * points[0] + 1, part[1] * points[1] + y + 1, part[2] * points[2] + z + 1);
        if (unpacks) {
          System.arraycopy(packed, next, array, row, points[0]);
        } else {
          System.arraycopy(array, row, packed, next, points[0]);
        }
        next += points[0];
      }
    }
  }

  /**
   * Adds the coarser level's points to those of this one at the same places, and their means to
   * those between; also in the halo.
   *
   * @param of with its halo
   */
  void interpolate(GridLevel coarser, double[] of, double[] result) {
    int[] offset = offset(coarser);
    int y = coarser.step[1];
    int z = coarser.step[2];
    for (int k = 0; k <= points(2) / 2; k++) {
      for (int j = 0; j <= points(1) / 2; j++) {
        int from = coarser.at(offset[0], offset[1] + j, offset[2] + k);
        for (int side = 0; side < 4; side++) {
          int dy = (side & 1) * y;
          int dz = (side >> 1) * z;
          int to = at(0, 2 * j + (side & 1), 2 * k + (side >> 1));
          for (int i = 0; i <= points(0) / 2; i++) {
            double here = column(of, from + i, dy, dz);
            double next = column(of, from + i + 1, dy, dz);
            result[to + 2 * i] += here;
            result[to + 2 * i + 1] += (here + next) / 2;
          }
        }
      }
    }
  }

  /** The mean of a point and of those beside it. */
  private static double column(double[] of, int at, int dy, int dz) {
    return (of[at] + of[at + dy] + of[at + dz] + of[at + dy + dz]) / 4;
  }

  /** The root of the mean square of all points. */
  double norm(double[] of) {
    double sum = 0;
    for (int z = 1; z <= points(2); z++) {
      for (int y = 1; y <= points(1); y++) {
        int row = at(0, y, z);
        for (int x = 1; x <= points(0); x++) {
          sum += of[row + x] * of[row + x];
        }
      }
    }
    double whole = isWhole() ? sum : Kernel.sum(all, sum);
    return Math.sqrt(whole / ((double) n * n * n));
  }
}
