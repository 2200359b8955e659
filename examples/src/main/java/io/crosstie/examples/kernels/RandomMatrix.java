// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A block of the matrix of CG: the sum of w(i) x(i) x(i)' over n sparse random vectors x(i), plus a
 * multiple of the identity. The weights fall from 1 to the reciprocal of the condition number in a
 * geometric progression. A vector has some elements at random places, and 0.5 at its own.
 *
 * <p>Source: report RNR-94-007, section 2.2.3. Which numbers are drawn, and in what order, is part
 * of the definition: a value, then a place below the next power of two; the pair is dropped if the
 * place is beyond the matrix or was drawn before.
 */
final class RandomMatrix {
  private static final double CONDITION = 0.1;
  private static final double DIAGONAL = 0.5;

  /** Where the elements of each row begin, and behind them their number. */
  private final int[] begins;

  private int[] columns = new int[1 << 16];
  private double[] values = new double[1 << 16];

  /** One element of a vector. */
  private record Element(int vector, double value) {}

  /**
   * Makes the block.
   *
   * @param n order of the whole matrix
   * @param filled elements of a vector beside its own
   * @param rows first, and behind the last
   * @param columns first, and behind the last
   */
  RandomMatrix(int n, int filled, double shift, Range rows, Range columns) {
    int[][] places = new int[n][];
    double[][] elements = new double[n][];
    draw(n, filled, places, elements);
    List<List<Element>> ofRow = new ArrayList<>();
    for (int row = 0; row < rows.count(); row++) {
      ofRow.add(new ArrayList<>());
    }
    for (int vector = 0; vector < n; vector++) {
      for (int i = 0; i < places[vector].length; i++) {
        if (rows.has(places[vector][i])) {
          boolean unused =
              ofRow
                  .get(places[vector][i] - rows.begin())
                  .add(new Element(vector, elements[vector][i]));
        }
      }
    }
    double[] weights = new double[n];
    double ratio = Math.pow(CONDITION, 1.0 / n);
    weights[0] = 1;
    for (int i = 1; i < n; i++) {
      weights[i] = weights[i - 1] * ratio;
    }
    this.begins = new int[rows.count() + 1];
    double[] sums = new double[columns.count()];
    boolean[] isIn = new boolean[columns.count()];
    int[] in = new int[columns.count()];
    for (int row = 0; row < rows.count(); row++) {
      int count = 0;
      for (Element element : ofRow.get(row)) {
        int vector = element.vector;
        for (int i = 0; i < places[vector].length; i++) {
          int column = places[vector][i] - columns.begin();
          if (columns.has(places[vector][i])) {
            if (!isIn[column]) {
              isIn[column] = true;
              in[count++] = column;
            }
            sums[column] += weights[vector] * element.value * elements[vector][i];
          }
        }
      }
      int diagonal = rows.begin() + row;
      if (columns.has(diagonal)) {
        sums[diagonal - columns.begin()] += CONDITION - shift; // every vector has its own place
      }
      add(row, in, count, sums);
      for (int i = 0; i < count; i++) {
        isIn[in[i]] = false;
        sums[in[i]] = 0;
      }
    }
  }

  private static void draw(int n, int filled, int[][] places, double[][] elements) {
    PseudoRandom random = new PseudoRandom(PseudoRandom.SEED);
    random.skip(1);
    int bound = Integer.highestOneBit(n - 1) << 1;
    for (int vector = 0; vector < n; vector++) {
      int[] at = new int[filled + 1];
      double[] values = new double[filled + 1];
      int count = 0;
      while (count < filled) {
        double value = random.next();
        int place = (int) (bound * random.next());
        if (place < n && indexOf(at, count, place) < 0) {
          at[count] = place;
          values[count++] = value;
        }
      }
      int own = indexOf(at, count, vector);
      if (own < 0) {
        own = count++;
      }
      at[own] = vector;
      values[own] = DIAGONAL;
      places[vector] = Arrays.copyOf(at, count);
      elements[vector] = values;
    }
  }

  private static int indexOf(int[] places, int count, int place) {
    for (int i = 0; i < count; i++) {
      if (places[i] == place) {
        return i;
      }
    }
    return -1;
  }

  private void add(int row, int[] in, int count, double[] sums) {
    int at = begins[row];
    if (at + count > values.length) {
      columns = Arrays.copyOf(columns, 2 * (at + count));
      values = Arrays.copyOf(values, 2 * (at + count));
    }
    Arrays.sort(in, 0, count);
    for (int i = 0; i < count; i++) {
      columns[at] = in[i];
      values[at++] = sums[in[i]];
    }
    begins[row + 1] = at;
  }

  /**
   * The product of the block with a vector.
   *
   * @param vector its part for the block's columns
   * @param result its part for the block's rows
   */
  void multiply(double[] vector, double[] result) {
    for (int row = 0; row < begins.length - 1; row++) {
      double sum = 0;
      for (int i = begins[row]; i < begins[row + 1]; i++) {
        sum += values[i] * vector[columns[i]];
      }
      result[row] = sum;
    }
  }

  /**
   * Some of the rows, or columns.
   *
   * @param begin first
   * @param end behind the last
   */
  record Range(int begin, int end) {
    /** One of so many parts of n. */
    static Range part(int n, int part, int parts) {
      return new Range((int) ((long) n * part / parts), (int) ((long) n * (part + 1) / parts));
    }

    int count() {
      return end - begin;
    }

    boolean has(int place) {
      return place >= begin && place < end;
    }
  }
}
