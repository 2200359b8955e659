// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.mpi;

import java.util.Arrays;
import java.util.SplittableRandom;
import mpi.MPI;

/**
 * Sorts numbers again and again, as a program for mpiJava and MPJ Express: {@code Sort [COUNT
 * [STEPS [SECONDS]]]}. Each rank has that many. A number goes to the rank whose range it is in,
 * which sorts what it gets; rank 0 gets all of it, compares it with what it comes to by itself, and
 * says {@code right} or {@code wrong} in the end. It ends after that many times, or when the time
 * is over if that is later; then it tells on the way how far it is.
 */
public final class Sort {
  private static final int MOST = 1 << 20;
  private static final int NAMES = 3;

  private final int count;
  private final int rank = MPI.COMM_WORLD.Rank();
  private final int size = MPI.COMM_WORLD.Size();

  private Sort(int count) {
    this.count = count;
  }

  private int[] numbers(int of, int step) {
    return new SplittableRandom((long) step * size + of).ints(count, 0, MOST).toArray();
  }

  private static int[] sumsBefore(int[] counts) {
    int[] places = new int[counts.length];
    for (int i = 1; i < counts.length; i++) {
      places[i] = places[i - 1] + counts[i - 1];
    }
    return places;
  }

  /** The numbers of all ranks, in order, on rank 0. */
  private int[] sorted(int step) {
    int[] mine = numbers(rank, step);
    Arrays.sort(mine);
    int[] goes = new int[size];
    for (int number : mine) {
      goes[(int) ((long) number * size / MOST)]++;
    }
    int[] comes = new int[size];
    MPI.COMM_WORLD.Alltoall(goes, 0, 1, MPI.INT, comes, 0, 1, MPI.INT);
    int[] range = new int[Arrays.stream(comes).sum()];
    MPI.COMM_WORLD.Alltoallv(
        mine, 0, goes, sumsBefore(goes), MPI.INT, range, 0, comes, sumsBefore(comes), MPI.INT);
    Arrays.sort(range);
    int[] lengths = new int[size];
    MPI.COMM_WORLD.Allgather(new int[] {range.length}, 0, 1, MPI.INT, lengths, 0, 1, MPI.INT);
    int[] result = new int[size * count];
    MPI.COMM_WORLD.Gatherv(
        range, 0, range.length, MPI.INT, result, 0, lengths, sumsBefore(lengths), MPI.INT, 0);
    return result;
  }

  private boolean isRight(int[] result, int step) {
    int[] serial = new int[size * count];
    for (int i = 0; i < size; i++) {
      System.arraycopy(numbers(i, step), 0, serial, i * count, count);
    }
    Arrays.sort(serial);
    return Arrays.equals(serial, result);
  }

  /** Each rank tells its name, as an object. */
  private boolean areAllThere() {
    Object[] who = {"rank " + rank};
    boolean right = true;
    if (rank != 0) {
      MPI.COMM_WORLD.Send(who, 0, 1, MPI.OBJECT, 0, NAMES);
    }
    for (int i = 1; rank == 0 && i < size; i++) {
      MPI.COMM_WORLD.Recv(who, 0, 1, MPI.OBJECT, i, NAMES);
      right &= ("rank " + i).equals(who[0]);
    }
    return right;
  }

  /** How many numbers each rank has, how many times, and for how many seconds at least. */
  public static void main(String[] args) {
    String[] own = MPI.Init(args);
    Sort sort = new Sort(Clock.argument(own, 0, 10_000));
    Clock clock = new Clock(Clock.argument(own, 1, 1), Clock.argument(own, 2, 0));
    boolean[] state = {true, true}; // whether to go on, and whether all was right
    int steps = 0;
    while (state[0]) {
      int[] result = sort.sorted(steps);
      if (sort.rank == 0) {
        state[1] &= sort.isRight(result, steps);
      }
      steps++;
      state[0] = clock.goesOn(steps) && state[1];
      MPI.COMM_WORLD.Bcast(state, 0, 2, MPI.BOOLEAN, 0);
    }
    boolean there = sort.areAllThere();
    if (sort.rank == 0) {
      Clock.tell("sort", sort.size, steps, state[1] && there);
    }
    MPI.Finalize();
    System.exit(state[1] && there ? 0 : 1);
  }
}
