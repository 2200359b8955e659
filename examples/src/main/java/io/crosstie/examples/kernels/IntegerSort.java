// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.examples.kernels;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * IS: ten times the ranks of all keys, of which two are changed before each time. The range of keys
 * is cut into buckets. All ranks learn how many keys each bucket has (allreduce), so each takes
 * buckets side by side that hold its share; then keys go where they belong (alltoall of the counts,
 * alltoallv of the keys), and are counted there.
 *
 * <p>Verified are the published ranks of five keys each time, and in the end that the keys, each at
 * its rank, are in order and are those of the beginning.
 *
 * <p>Source: report RNR-94-007, section 2.2.5; bucket and counting sort, Knuth, The Art of Computer
 * Programming, volume 3, section 5.2.
 */
public final class IntegerSort implements Kernel {
  private static final int TIMES = 10;
  private static final int BUCKETS_LOG = 10;
  private static final int TESTS = 5;

  @Override
  public String name() {
    return "IS";
  }

  @Override
  public int mostRanks(ProblemClass of) {
    return of.of(64, 256, 512);
  }

  /** A rank's keys, and those that it has got. */
  private static final class Sorting {
    private final Communicator all;
    private final int keyLog;
    private final long total;
    private final int[] keys;
    private final int[] sorted;
    private int[] got = new int[0];
    private int gotCount;

    /** The first key that this rank counts, and how many it counts of each from there on. */
    private int firstKey;

    private int[] counts = new int[0];

    /** How many keys of all ranks lie below the first. */
    private long below;

    Sorting(Communicator all, int totalLog, int keyLog) {
      this.all = all;
      this.keyLog = keyLog;
      this.total = 1L << totalLog;
      this.keys = new int[(int) (total / all.size())];
      this.sorted = new int[keys.length];
      PseudoRandom random = new PseudoRandom(PseudoRandom.SEED);
      random.skip(4L * keys.length * all.rank());
      double quarter = (1 << keyLog) / 4.0;
      for (int i = 0; i < keys.length; i++) {
        keys[i] = (int) (quarter * (random.next() + random.next() + random.next() + random.next()));
      }
    }

    /** The keys at places of the whole sequence. */
    int[] at(int... places) {
      int[] found = new int[places.length];
      for (int i = 0; i < places.length; i++) {
        int place = places[i] - all.rank() * keys.length;
        found[i] = place >= 0 && place < keys.length ? keys[place] : 0;
      }
      all.allreduce(Data.of(found), Data.of(found), Reduction.SUM);
      return found;
    }

    void change(int time) {
      if (all.rank() == 0) {
        keys[time] = time;
        keys[time + TIMES] = (1 << keyLog) - time;
      }
    }

    /** Finds the ranks of all keys: those of a key are told by {@link #rankOf}. */
    void rank() {
      int shift = keyLog - BUCKETS_LOG;
      int buckets = 1 << BUCKETS_LOG;
      int[] mine = new int[buckets];
      for (int key : keys) {
        mine[key >> shift]++;
      }
      int[] whole = new int[buckets];
      all.allreduce(Data.of(mine), Data.of(whole), Reduction.SUM);
      int[] begins = new int[buckets + 1];
      for (int i = 0; i < buckets; i++) {
        begins[i + 1] = begins[i] + mine[i];
      }
      int[] first = firstBuckets(whole);
      int[] goes = new int[all.size()];
      for (int rank = 0; rank < goes.length; rank++) {
        goes[rank] = begins[first[rank + 1]] - begins[first[rank]];
      }
      for (int key : keys) {
        sorted[begins[key >> shift]++] = key;
      }
      int[] comes = new int[goes.length];
      all.alltoall(Data.of(goes), Data.of(comes));
      gotCount = Arrays.stream(comes).sum();
      if (got.length < gotCount) {
        got = new int[gotCount];
      }
      all.alltoallv(Data.of(sorted).parts(goes), Data.of(got).parts(comes));
      below = 0;
      for (int i = 0; i < first[all.rank()]; i++) {
        below += whole[i];
      }
      firstKey = first[all.rank()] << shift;
      int range = (first[all.rank() + 1] - first[all.rank()]) << shift;
      if (counts.length != range + 1) {
        counts = new int[range + 1];
      } else {
        Arrays.fill(counts, 0);
      }
      for (int i = 0; i < gotCount; i++) {
        counts[got[i] - firstKey + 1]++;
      }
      for (int i = 0; i < range; i++) {
        counts[i + 1] += counts[i];
      }
    }

    /** The first bucket of each rank, and behind them their number. */
    private int[] firstBuckets(int[] whole) {
      int[] first = new int[all.size() + 1];
      long sum = 0;
      int rank = 1;
      for (int i = 0; i < whole.length; i++) {
        sum += whole[i];
        while (rank < all.size() && sum * all.size() >= rank * total) {
          first[rank++] = i + 1;
        }
      }
      Arrays.fill(first, rank, all.size() + 1, whole.length);
      return first;
    }

    /** How many keys are less; -1 if another rank knows. */
    long rankOf(int key) {
      int at = key - firstKey;
      return at >= 0 && at < counts.length - 1 ? below + counts[at] : -1;
    }

    /** How many keys are not in order when each is put at its rank. */
    long misplaced() {
      int[] next = counts.clone();
      int[] ordered = new int[gotCount];
      for (int i = 0; i < gotCount; i++) {
        ordered[next[got[i] - firstKey]++] = got[i];
      }
      int[] edges = {gotCount == 0 ? -1 : ordered[0], gotCount == 0 ? -1 : ordered[gotCount - 1]};
      int[] others = new int[2 * all.size()];
      all.allgather(Data.of(edges), Data.of(others));
      int before = -1;
      for (int i = 0; i < 2 * all.rank(); i++) {
        before = Math.max(before, others[i]);
      }
      long wrong = 0;
      for (int key : ordered) {
        wrong += key < before ? 1 : 0;
        before = key;
      }
      return wrong;
    }

    /** How many keys of all ranks have been lost, and by how much their sum differs. */
    long differing() {
      long[] sums = {-keys.length, 0, gotCount, 0};
      for (int key : keys) {
        sums[1] += key;
      }
      for (int i = 0; i < gotCount; i++) {
        sums[3] += got[i];
      }
      all.allreduce(Data.of(sums), Data.of(sums), Reduction.SUM);
      return Math.abs(sums[0] + sums[2]) + Math.abs(sums[3] - sums[1]);
    }
  }

  /** By how much the rank of a test key changes with the times. */
  private static int drift(ProblemClass of, int test, int time) {
    return switch (of) {
      case S -> test <= 2 ? time : -time;
      case W -> test < 2 ? time - 2 : -time;
      case A -> test <= 2 ? time - 1 : 1 - time;
    };
  }

  @Override
  public Outcome run(Communicator all, ProblemClass of) {
    int[] places =
        of.of(
            new int[] {48_427, 17_148, 23_627, 62_548, 4_431},
            new int[] {357_773, 934_767, 875_723, 898_999, 404_505},
            new int[] {2_112_377, 662_041, 5_336_171, 3_642_833, 4_250_760});
    int[] expected =
        of.of(
            new int[] {0, 18, 346, 64_917, 65_463},
            new int[] {1_249, 11_698, 1_039_987, 1_043_896, 1_048_018},
            new int[] {104, 17_523, 123_928, 8_288_932, 8_388_264});
    Sorting sorting = new Sorting(all, of.of(16, 20, 23), of.of(11, 16, 19));
    int[] tested = sorting.at(places);
    sorting.change(1);
    sorting.rank();
    int[] right = new int[1];
    double seconds =
        Kernel.seconds(
            all,
            () -> {
              for (int time = 1; time <= TIMES; time++) {
                sorting.change(time);
                sorting.rank();
                for (int i = 0; i < TESTS; i++) {
                  int due = expected[i] + drift(of, i, time);
                  right[0] += sorting.rankOf(tested[i]) == due ? 1 : 0;
                }
              }
            });
    List<Check> checks = new ArrayList<>();
    checks.add(new Check("the number of right ranks", Kernel.sum(all, right[0]), TIMES * TESTS, 0));
    checks.add(
        new Check(
            "the number of misplaced keys", Kernel.sum(all, (double) sorting.misplaced()), 0, 0));
    checks.add(new Check("the difference of all keys", (double) sorting.differing(), 0, 0));
    return new Outcome(seconds, (double) TIMES * sorting.total, checks);
  }

  /** {@link Kernel#main}. */
  public static void main(String[] args) {
    Kernel.main(new IntegerSort(), args);
  }
}
