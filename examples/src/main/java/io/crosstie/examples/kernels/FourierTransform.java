// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import java.util.ArrayList;
import java.util.List;

/**
 * FT: a heat equation in three dimensions, solved by Fourier transforms: forwards once, then for
 * each time a factor for each wave, and backwards. Each rank has some planes: of z in space, of y
 * among waves. Transforms along x and y need no other rank; for those along z each sends to each
 * what both their planes have in common (alltoall), once for each transform.
 *
 * <p>Source: report RNR-94-007, section 2.2.4.
 */
public final class FourierTransform implements Kernel {
  private static final int TIMES = 6;
  private static final int SAMPLES = 1024;
  private static final double ALPHA = 1e-6;
  private static final double TOLERANCE = 1e-12;

  @Override
  public String name() {
    return "FT";
  }

  @Override
  public int mostRanks(ProblemClass of) {
    return of.of(64, 32, 128);
  }

  /** A rank's planes. Indices of space: (z, y, x), of waves: (z, y, x), too; x runs first. */
  private static final class Planes {
    private final Communicator all;
    private final int nx;
    private final int ny;
    private final int nz;

    /** Planes of z in space, and of y among waves. */
    private final int deep;

    private final int high;
    private final LineTransform alongX;
    private final LineTransform alongY;
    private final LineTransform alongZ;
    private final double[] space;
    private final double[] packed;
    private final double[] waves;
    private final double[] evolved;

    Planes(Communicator all, int nx, int ny, int nz) {
      this.all = all;
      this.nx = nx;
      this.ny = ny;
      this.nz = nz;
      this.deep = nz / all.size();
      this.high = ny / all.size();
      this.alongX = new LineTransform(nx);
      this.alongY = new LineTransform(ny);
      this.alongZ = new LineTransform(nz);
      int doubles = 2 * nx * ny * deep;
      this.space = new double[doubles];
      this.packed = new double[doubles];
      this.waves = new double[doubles];
      this.evolved = new double[doubles];
    }

    /** Random numbers, and their transform. */
    void begin() {
      PseudoRandom random = new PseudoRandom(PseudoRandom.SEED);
      random.skip((long) space.length * all.rank());
      for (int i = 0; i < space.length; i++) {
        space[i] = random.next();
      }
      transformPlanes(-1);
      for (int z = 0; z < deep; z++) {
        for (int y = 0; y < ny; y++) {
          System.arraycopy(space, 2 * nx * (z * ny + y), packed, packedAt(z, y), 2 * nx);
        }
      }
      all.alltoall(Data.of(packed), Data.of(waves));
      alongZ.transform(waves, 0, high * nx, high * nx, 1, -1);
    }

    private void transformPlanes(int sign) {
      for (int z = 0; z < deep; z++) {
        alongY.transform(space, z * ny * nx, nx, nx, 1, sign);
        alongX.transform(space, z * ny * nx, 1, ny, nx, sign);
      }
    }

    /** Where a line of space is for the others: by rank, z, and y of that rank. */
    private int packedAt(int z, int y) {
      return 2 * nx * ((y / high * deep + z) * high + y % high);
    }

    /** By wave numbers along one dimension: how much is left of each at that time. */
    private static double[] left(int count, int first, int n, int time) {
      double[] left = new double[count];
      for (int i = 0; i < count; i++) {
        int at = first + i;
        double wave = at < n / 2 ? at : at - n;
        left[i] = Math.exp(-4 * ALPHA * Math.PI * Math.PI * wave * wave * time);
      }
      return left;
    }

    /** Space at that time. */
    void evolve(int time) {
      double[] ofX = left(nx, 0, nx, time);
      double[] ofY = left(high, all.rank() * high, ny, time);
      double[] ofZ = left(nz, 0, nz, time);
      for (int z = 0; z < nz; z++) {
        for (int y = 0; y < high; y++) {
          double factor = ofZ[z] * ofY[y];
          int line = 2 * nx * (z * high + y);
          for (int x = 0; x < nx; x++) {
            evolved[line + 2 * x] = waves[line + 2 * x] * (factor * ofX[x]);
            evolved[line + 2 * x + 1] = waves[line + 2 * x + 1] * (factor * ofX[x]);
          }
        }
      }
      alongZ.transform(evolved, 0, high * nx, high * nx, 1, 1);
      all.alltoall(Data.of(evolved), Data.of(packed));
      for (int z = 0; z < deep; z++) {
        for (int y = 0; y < ny; y++) {
          System.arraycopy(packed, packedAt(z, y), space, 2 * nx * (z * ny + y), 2 * nx);
        }
      }
      transformPlanes(1);
    }

    /** The sum of some places of space, real and imaginary part. */
    double[] sample() {
      double[] sum = new double[2];
      double scale = 1.0 / nx / ny / nz; // a power of two
      for (int i = 1; i <= SAMPLES; i++) {
        int z = 5 * i % nz - all.rank() * deep;
        if (z >= 0 && z < deep) {
          int at = 2 * ((z * ny + 3 * i % ny) * nx + i % nx);
          sum[0] += space[at] * scale;
          sum[1] += space[at + 1] * scale;
        }
      }
      all.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
      return sum;
    }

    double[][] run(int times) {
      begin();
      double[][] sums = new double[times][];
      for (int time = 1; time <= times; time++) {
        evolve(time);
        sums[time - 1] = sample();
      }
      return sums;
    }
  }

  private static double[] published(ProblemClass of) {
    return of.of(
        new double[] {
          5.546087004964e+02, 4.845363331978e+02,
          5.546385409189e+02, 4.865304269511e+02,
          5.546148406171e+02, 4.883910722336e+02,
          5.545423607415e+02, 4.901273169046e+02,
          5.544255039624e+02, 4.917475857993e+02,
          5.542683411902e+02, 4.932597244941e+02
        },
        new double[] {
          5.673612178944e+02, 5.293246849175e+02,
          5.631436885271e+02, 5.282149986629e+02,
          5.594024089970e+02, 5.270996558037e+02,
          5.560698047020e+02, 5.260027904925e+02,
          5.530898991250e+02, 5.249400845633e+02,
          5.504159734538e+02, 5.239212247086e+02
        },
        new double[] {
          5.046735008193e+02, 5.114047905510e+02,
          5.059412319734e+02, 5.098809666433e+02,
          5.069376896287e+02, 5.098144042213e+02,
          5.077892868474e+02, 5.101336130759e+02,
          5.085233095391e+02, 5.104914655194e+02,
          5.091487099959e+02, 5.107917842803e+02
        });
  }

  @Override
  public Outcome run(Communicator all, ProblemClass of) {
    Planes planes = new Planes(all, of.of(64, 128, 256), of.of(64, 128, 256), of.of(64, 32, 128));
    double[][] unused = planes.run(1);
    double[][] sums = new double[TIMES][];
    double seconds =
        Kernel.seconds(all, () -> System.arraycopy(planes.run(TIMES), 0, sums, 0, TIMES));
    double[] expected = published(of);
    List<Check> checks = new ArrayList<>();
    for (int time = 0; time < TIMES; time++) {
      String at = " part of the checksum at time " + (time + 1);
      checks.add(new Check("the real" + at, sums[time][0], expected[2 * time], TOLERANCE));
      checks.add(new Check("the imaginary" + at, sums[time][1], expected[2 * time + 1], TOLERANCE));
    }
    double points = (double) planes.nx * planes.ny * planes.nz;
    double log = Math.log(points);
    double operations = points * (14.8157 + 7.19641 * log + (5.23518 + 7.21113 * log) * TIMES);
    return new Outcome(seconds, operations, checks);
  }

  /** {@link Kernel#main}. */
  public static void main(String[] args) {
    Kernel.main(new FourierTransform(), args);
  }
}
