// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

import java.nio.DoubleBuffer;
import java.util.Arrays;
import mpi.Comm;
import mpi.MPI;
import mpi.MPIException;
import mpi.Request;

/**
 * Heat in a square plate, as a program for Open MPI's Java bindings: {@code Heat [N [STEPS
 * [SECONDS]]]}. Rows are shared out; each step exchanges the rows at the borders. It ends after
 * that many steps, or when the time is over if that is later; then it tells on the way how far it
 * is. Rank 0 compares the whole plate, bit by bit, with what one process comes to, and says {@code
 * right} or {@code wrong}. {@code mpi-heat.c} of the lab is the same in C.
 */
public final class Heat {
  private static final int UP = 1;
  private static final int DOWN = 2;
  private static final int CHECK_EVERY = 10;
  private static final double HOTTEST = 100;
  private static final double RATE = 0.2;

  private final Comm world;
  private final int n;
  private final int up;
  private final int down;
  private final DoubleBuffer[] edges = new DoubleBuffer[4];
  private double[][] rows;
  private double[][] next;

  /** One rank's rows, with one more above and below; the plate's outermost stay as they are. */
  private Heat(Comm world, int n) throws MPIException {
    this.world = world;
    this.n = n;
    int rank = world.getRank();
    int size = world.getSize();
    if (n - 2 < size) {
      throw new IllegalArgumentException("a plate of " + n + " rows is too small for all ranks");
    }
    up = rank == 0 ? MPI.PROC_NULL : rank - 1;
    down = rank == size - 1 ? MPI.PROC_NULL : rank + 1;
    rows = plate(n, begin(n, size, rank) - 1, begin(n, size, rank + 1) + 1);
    next = plate(n, begin(n, size, rank) - 1, begin(n, size, rank + 1) + 1);
    for (int i = 0; i < edges.length; i++) {
      edges[i] = MPI.newDoubleBuffer(n);
    }
  }

  /** Where the rows of a rank begin, in the plate without its border. */
  private static int begin(int n, int size, int rank) {
    return 1 + (int) ((long) (n - 2) * rank / size);
  }

  private static double[][] plate(int n, int from, int to) {
    double[][] rows = new double[to - from][n];
    for (int y = from; y < to; y++) {
      for (int x = 0; x < n; x++) {
        rows[y - from][x] = y == 0 ? HOTTEST : (y * 31 + x * 17) % 50;
      }
    }
    return rows;
  }

  /** All rows but the first and the last. */
  private static void step(double[][] rows, double[][] next) {
    for (int y = 1; y < rows.length - 1; y++) {
      double[] above = rows[y - 1];
      double[] here = rows[y];
      double[] below = rows[y + 1];
      double[] to = next[y];
      for (int x = 1; x < here.length - 1; x++) {
        to[x] = here[x] + RATE * (above[x] + below[x] + here[x - 1] + here[x + 1] - 4 * here[x]);
      }
    }
  }

  /** The rows at the borders go to the neighbours, and theirs come. */
  private void exchange() throws MPIException {
    edges[0].put(0, rows[1]);
    edges[1].put(0, rows[rows.length - 2]);
    Request[] all = {
      world.iRecv(edges[2], n, MPI.DOUBLE, up, DOWN),
      world.iRecv(edges[3], n, MPI.DOUBLE, down, UP),
      world.iSend(edges[0], n, MPI.DOUBLE, up, UP),
      world.iSend(edges[1], n, MPI.DOUBLE, down, DOWN)
    };
    Request.waitAll(all);
    if (up != MPI.PROC_NULL) {
      edges[2].get(0, rows[0]);
    }
    if (down != MPI.PROC_NULL) {
      edges[3].get(0, rows[rows.length - 1]);
    }
  }

  private int run(Clock clock) throws MPIException {
    int steps = 0;
    boolean[] more = {true};
    while (more[0]) {
      for (int i = 0; i < CHECK_EVERY; i++) {
        exchange();
        step(rows, next);
        double[][] old = rows;
        rows = next;
        next = old;
      }
      steps += CHECK_EVERY;
      more[0] = clock.goesOn(steps);
      world.bcast(more, 1, MPI.BOOLEAN, 0);
    }
    return steps;
  }

  private static double[] flat(double[][] rows) {
    return Arrays.stream(rows, 1, rows.length - 1).flatMapToDouble(Arrays::stream).toArray();
  }

  /** What one process comes to. */
  private static double[] serial(int n, int steps) {
    double[][] rows = plate(n, 0, n);
    double[][] next = plate(n, 0, n);
    for (int i = 0; i < steps; i++) {
      step(rows, next);
      double[][] old = rows;
      rows = next;
      next = old;
    }
    return flat(rows);
  }

  /** The size of the plate, how many steps, and for how many seconds at least. */
  public static void main(String[] args) throws MPIException {
    String[] own = MPI.Init(args);
    int n = Clock.argument(own, 0, 128);
    Clock clock = new Clock(Clock.argument(own, 1, 100), Clock.argument(own, 2, 0));
    Comm world = MPI.COMM_WORLD;
    int rank = world.getRank();
    int size = world.getSize();
    Heat heat = new Heat(world, n);
    int steps = heat.run(clock);
    double[] mine = flat(heat.rows);
    double[] hottest = {Arrays.stream(mine).max().orElse(0)};
    double[] ofAll = new double[1];
    world.allReduce(hottest, ofAll, 1, MPI.DOUBLE, MPI.MAX);
    int[] counts = new int[size];
    int[] places = new int[size];
    for (int i = 0; i < size; i++) {
      places[i] = (begin(n, size, i) - 1) * n;
      counts[i] = (begin(n, size, i + 1) - 1) * n - places[i];
    }
    double[] result = new double[n * (n - 2)];
    world.gatherv(mine, counts[rank], MPI.DOUBLE, result, counts, places, MPI.DOUBLE, 0);
    boolean[] right = {true};
    if (rank == 0) {
      double[] serial = serial(n, steps);
      right[0] = Arrays.equals(serial, result) && ofAll[0] == Arrays.stream(serial).max().orElse(0);
      Clock.tell("heat", size, steps, right[0]);
    }
    world.bcast(right, 1, MPI.BOOLEAN, 0);
    MPI.Finalize();
    System.exit(right[0] ? 0 : 1);
  }
}
