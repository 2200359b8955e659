// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import java.util.Arrays;
import java.util.SplittableRandom;
import mpi.MPI;

/**
 * Sorts numbers, as a program for mpiJava and MPJ Express: {@code MpiSort COUNT}. Numbers go to the
 * rank whose range they are in, which sorts them; rank 0 gets all of it, compares it with what it
 * comes to by itself, and says {@code right} or {@code wrong}.
 */
final class MpiSort {
  private static final int MOST = 1 << 20;

  private MpiSort() {}

  private static int[] numbers(int rank, int count) {
    return new SplittableRandom(rank).ints(count, 0, MOST).toArray();
  }

  private static int[] sumsBefore(int[] counts) {
    int[] places = new int[counts.length];
    for (int i = 1; i < counts.length; i++) {
      places[i] = places[i - 1] + counts[i - 1];
    }
    return places;
  }

  /** How many numbers each rank has. */
  public static void main(String[] args) {
    String[] own = MPI.Init(args);
    int count = Integer.parseInt(own[0]);
    int rank = MPI.COMM_WORLD.Rank();
    int size = MPI.COMM_WORLD.Size();
    int[] sorted = numbers(rank, count);
    Arrays.sort(sorted);
    int[] goes = new int[size];
    for (int number : sorted) {
      goes[(int) ((long) number * size / MOST)]++;
    }
    int[] comes = new int[size];
    MPI.COMM_WORLD.Alltoall(goes, 0, 1, MPI.INT, comes, 0, 1, MPI.INT);
    int[] mine = new int[Arrays.stream(comes).sum()];
    MPI.COMM_WORLD.Alltoallv(
        sorted, 0, goes, sumsBefore(goes), MPI.INT, mine, 0, comes, sumsBefore(comes), MPI.INT);
    Arrays.sort(mine);
    int[] lengths = new int[size];
    MPI.COMM_WORLD.Allgather(new int[] {mine.length}, 0, 1, MPI.INT, lengths, 0, 1, MPI.INT);
    int[] result = new int[Arrays.stream(lengths).sum()];
    MPI.COMM_WORLD.Gatherv(
        mine, 0, mine.length, MPI.INT, result, 0, lengths, sumsBefore(lengths), MPI.INT, 0);
    Object[] who = {"rank " + rank};
    if (rank == 0) {
      int[] serial = new int[size * count];
      for (int i = 0; i < size; i++) {
        System.arraycopy(numbers(i, count), 0, serial, i * count, count);
      }
      Arrays.sort(serial);
      boolean right = Arrays.equals(serial, result);
      for (int i = 1; i < size; i++) {
        MPI.COMM_WORLD.Recv(who, 0, 1, MPI.OBJECT, i, 3);
        right &= ("rank " + i).equals(who[0]);
      }
      System.out.println("sort with " + size + " ranks: " + (right ? "right" : "wrong"));
    } else {
      MPI.COMM_WORLD.Send(who, 0, 1, MPI.OBJECT, 0, 3);
    }
    MPI.Finalize();
  }
}
