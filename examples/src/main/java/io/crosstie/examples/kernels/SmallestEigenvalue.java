// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.examples.kernels.RandomMatrix.Range;
import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import java.util.Arrays;
import java.util.List;

/**
 * CG: an estimate of the smallest eigenvalue of a large sparse symmetric matrix, by inverse
 * iteration, where each system is solved by 25 steps of conjugate gradients. Ranks are a grid, as
 * wide as high or twice as wide; each has a block of the matrix. All ranks of a column have the
 * same part of all vectors. For a product each multiplies its block, the ranks of a row add what
 * they have come to (allreduce), and each gives its partner the part for whose columns that one
 * stands. Scalar products are sums over a row.
 *
 * <p>Source: report RNR-94-007, section 2.2.3; conjugate gradients, Hestenes and Stiefel 1952.
 */
public final class SmallestEigenvalue implements Kernel {
  private static final int TIMES = 15;
  private static final int STEPS = 25;
  private static final int PART = 1;
  private static final double TOLERANCE = 1e-10;

  @Override
  public String name() {
    return "CG";
  }

  @Override
  public int mostRanks(ProblemClass of) {
    return 1 << 10;
  }

  /** What a rank has of the matrix and of all vectors. */
  private static final class Solver {
    private final Communicator all;
    private final Communicator row;
    private final RandomMatrix matrix;

    /** The rank that gets a part of this one's products, and whose products have this one's. */
    private final int partner;

    /** Its part within this rank's rows. */
    private final int partnerBegin;

    private final int partnerCount;
    private final double[] product;
    private final double[] x;
    private final double[] z;
    private final double[] p;
    private final double[] q;
    private final double[] r;

    Solver(Communicator all, int n, int filled, double shift) {
      this.all = all;
      int height = 1 << (Integer.numberOfTrailingZeros(all.size()) / 2);
      int width = all.size() / height;
      int atRow = all.rank() / width;
      int atColumn = all.rank() % width;
      this.row = all.split(atRow, atColumn).orElseThrow();
      Range rows = Range.part(n, atRow, height);
      Range columns = Range.part(n, atColumn, width);
      this.matrix = new RandomMatrix(n, filled, shift, rows, columns);
      // where a column stands among the rows; the partner's partner is this rank
      int wide = width / height;
      int partnerRow = atColumn / wide;
      int partnerColumn = atRow * wide + atColumn % wide;
      this.partner = partnerRow * width + partnerColumn;
      Range part = Range.part(n, partnerColumn, width);
      this.partnerBegin = part.begin() - rows.begin();
      this.partnerCount = part.count();
      this.product = new double[rows.count()];
      this.x = new double[columns.count()];
      this.z = new double[columns.count()];
      this.p = new double[columns.count()];
      this.q = new double[columns.count()];
      this.r = new double[columns.count()];
    }

    private void multiply(double[] vector, double[] result) {
      matrix.multiply(vector, product);
      row.allreduce(Data.of(product), Data.of(product), Reduction.SUM);
      if (partner == all.rank()) {
        System.arraycopy(product, partnerBegin, result, 0, partnerCount);
        return;
      }
      Request comes = all.irecv(result, partner, PART);
      all.send(Data.of(product, partnerBegin, partnerCount), partner, PART);
      Request.awaitAll(comes);
    }

    private double dot(double[] one, double[] other) {
      double sum = 0;
      for (int i = 0; i < one.length; i++) {
        sum += one[i] * other[i];
      }
      return Kernel.sum(row, sum);
    }

    /**
     * Solves A z = x, nearly.
     *
     * @return how far A z is from x
     */
    private double solve() {
      Arrays.fill(z, 0);
      System.arraycopy(x, 0, r, 0, x.length);
      System.arraycopy(x, 0, p, 0, x.length);
      double square = dot(r, r);
      for (int step = 0; step < STEPS; step++) {
        multiply(p, q);
        double length = square / dot(p, q);
        for (int i = 0; i < z.length; i++) {
          z[i] += length * p[i];
          r[i] -= length * q[i];
        }
        double next = dot(r, r);
        double part = next / square;
        for (int i = 0; i < p.length; i++) {
          p[i] = r[i] + part * p[i];
        }
        square = next;
      }
      multiply(z, r);
      for (int i = 0; i < r.length; i++) {
        r[i] = x[i] - r[i];
      }
      return Math.sqrt(dot(r, r));
    }

    /** What has to be added to the shift after so many iterations, and the last residual. */
    double[] iterate(int times) {
      Arrays.fill(x, 1);
      double estimate = 0;
      double residual = 0;
      for (int time = 0; time < times; time++) {
        residual = solve();
        estimate = 1 / dot(x, z);
        double norm = Math.sqrt(dot(z, z));
        for (int i = 0; i < x.length; i++) {
          x[i] = z[i] / norm;
        }
      }
      return new double[] {estimate, residual};
    }
  }

  @Override
  public Outcome run(Communicator all, ProblemClass of) {
    int n = of.of(1_400, 7_000, 14_000);
    int filled = of.of(7, 8, 11);
    int shift = of.of(10, 12, 20);
    Solver solver = new Solver(all, n, filled, shift);
    double[] found = solver.iterate(1).clone();
    double seconds =
        Kernel.seconds(all, () -> System.arraycopy(solver.iterate(TIMES), 0, found, 0, 2));
    double zeta = of.of(8.5971775078648, 10.362595087124, 17.130235054029);
    double multiplications = filled * (filled + 1);
    double operations = 2.0 * TIMES * n * (3 + multiplications + STEPS * (5 + multiplications) + 3);
    return new Outcome(
        seconds, operations, List.of(new Check("zeta", shift + found[0], zeta, TOLERANCE)));
  }

  /** {@link Kernel#main}. */
  public static void main(String[] args) {
    Kernel.main(new SmallestEigenvalue(), args);
  }
}
