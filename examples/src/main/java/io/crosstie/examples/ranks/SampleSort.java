// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.ranks;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Sorts what all ranks have: {@code SampleSort [COUNT]}, so many numbers in each rank. Each sorts
 * its own and gives a sample of them to all, so that all come to the same splitters; then each
 * sends to each what lies between two of them, and sorts what it has got. In the end rank 0 has all
 * of it, and compares it with what it comes to by itself.
 *
 * <p>Source: parallel sorting by regular sampling, Shi and Schaeffer 1992.
 */
public final class SampleSort {
  private static final int PART = 1;
  private static final int RESULT = 2;

  private SampleSort() {}

  private static long[] numbers(int rank, int count) {
    return new SplittableRandom(rank).longs(count, 0, 1_000_000_000).toArray();
  }

  /** Every rank's sample, and of all of them one splitter less than there are ranks. */
  private static long[] splitters(Communicator all, long[] sorted) {
    int size = all.size();
    long[] sample = new long[size];
    for (int i = 0; i < size; i++) {
      sample[i] = sorted.length == 0 ? 0 : sorted[(int) ((long) sorted.length * i / size)];
    }
    long[] samples = new long[size * size];
    all.allgather(Data.of(sample), Data.of(samples));
    Arrays.sort(samples);
    long[] splitters = new long[size - 1];
    for (int i = 1; i < size; i++) {
      splitters[i - 1] = samples[i * size];
    }
    return splitters;
  }

  /** Where the part of each rank begins, and behind them the end. */
  private static int[] begins(long[] sorted, long[] splitters) {
    int[] begins = new int[splitters.length + 2];
    for (int i = 0; i < splitters.length; i++) {
      int at = begins[i];
      while (at < sorted.length && sorted[at] < splitters[i]) {
        at++;
      }
      begins[i + 1] = at;
    }
    begins[splitters.length + 1] = sorted.length;
    return begins;
  }

  /** Each sends to each, and gets from each, parts of lengths that were told before. */
  private static long[] exchange(Communicator all, long[] sorted, int[] begins) {
    int size = all.size();
    int[] lengths = new int[size];
    for (int rank = 0; rank < size; rank++) {
      lengths[rank] = begins[rank + 1] - begins[rank];
    }
    int[] comes = new int[size];
    all.alltoall(Data.of(lengths), Data.of(comes));
    long[] mine = new long[Arrays.stream(comes).sum()];
    List<Request> requests = new ArrayList<>();
    int at = 0;
    for (int rank = 0; rank < size; rank++) {
      requests.add(all.irecv(Data.of(mine, at, comes[rank]), rank, PART));
      at += comes[rank];
    }
    for (int rank = 0; rank < size; rank++) {
      requests.add(all.isend(Data.of(sorted, begins[rank], lengths[rank]), rank, PART));
    }
    Request.awaitAll(requests);
    Arrays.sort(mine);
    return mine;
  }

  /** All of it in rank 0, one rank's part after the other; elsewhere nothing. */
  private static long[] collect(Communicator all, long[] mine) {
    int[] lengths = new int[all.size()];
    all.gather(Data.of(new int[] {mine.length}), Data.of(lengths), 0);
    if (all.rank() != 0) {
      all.send(mine, 0, RESULT);
      return new long[0];
    }
    long[] result = Arrays.copyOf(mine, Arrays.stream(lengths).sum());
    int at = mine.length;
    for (int rank = 1; rank < all.size(); rank++) {
      all.recv(Data.of(result, at, lengths[rank]), rank, RESULT);
      at += lengths[rank];
    }
    return result;
  }

  private static long[] serial(int ranks, int count) {
    long[] all = new long[ranks * count];
    for (int rank = 0; rank < ranks; rank++) {
      System.arraycopy(numbers(rank, count), 0, all, rank * count, count);
    }
    Arrays.sort(all);
    return all;
  }

  /** Whether the result is that of one process, as rank 0 finds it; in other ranks true. */
  public static boolean isRight(World world, int count) {
    Communicator all = world.communicator();
    long[] sorted = numbers(all.rank(), count);
    Arrays.sort(sorted);
    long[] mine = exchange(all, sorted, begins(sorted, splitters(all, sorted)));
    long[] result = collect(all, mine);
    return all.rank() != 0 || Arrays.equals(serial(all.size(), count), result);
  }

  /** Numbers in each rank (100,000). */
  public static void main(String[] args) {
    int count = args.length > 0 ? Integer.parseInt(args[0]) : 100_000;
    Example.run("sample sort of " + count + " numbers a rank", world -> isRight(world, count));
  }
}
