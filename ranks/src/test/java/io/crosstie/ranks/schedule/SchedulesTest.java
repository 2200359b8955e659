// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.FakeNetwork;
import io.crosstie.ranks.p2p.Limits;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Random;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collective operations of 1 to 9 ranks over a network of chance, against what they mean. */
final class SchedulesTest {
  private static final int CONTEXT = 1;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Sums of longs. */
  private record Sum(boolean isForeign) implements Combiner {
    @Override
    public int elementBytes() {
      return Long.BYTES;
    }

    @Override
    public boolean isCommutative() {
      return true;
    }

    @Override
    public void combine(MemorySegment left, MemorySegment right) {
      for (long i = 0; i < right.byteSize() / Long.BYTES; i++) {
        right.setAtIndex(LONG, i, left.getAtIndex(LONG, i) + right.getAtIndex(LONG, i));
      }
    }
  }

  /** Compositions x -> a x + b, as pairs of longs: the order matters. */
  private record Compose(boolean isForeign) implements Combiner {
    @Override
    public int elementBytes() {
      return 2 * Long.BYTES;
    }

    @Override
    public boolean isCommutative() {
      return false;
    }

    @Override
    public void combine(MemorySegment left, MemorySegment right) {
      for (long i = 0; i < right.byteSize() / Long.BYTES; i += 2) {
        long a = right.getAtIndex(LONG, i);
        right.setAtIndex(LONG, i, left.getAtIndex(LONG, i) * a);
        right.setAtIndex(
            LONG, i + 1, left.getAtIndex(LONG, i + 1) * a + right.getAtIndex(LONG, i + 1));
      }
    }
  }

  private static FakeNetwork network(int size, int seed) {
    FakeNetwork network =
        new FakeNetwork(new Random(seed), size, new Limits(256, 2 + seed % 5, 1000), 2);
    BitSet all = new BitSet();
    all.set(0, size);
    for (int rank = 0; rank < size; rank++) {
      network.rank(rank).openContext(0, all);
    }
    return network;
  }

  private static int[] members(int size) {
    int[] members = new int[size];
    Arrays.setAll(members, i -> i);
    return members;
  }

  private static final class Ends {
    final boolean[] done;
    final @Nullable Failure[] failures;

    Ends(int size) {
      done = new boolean[size];
      failures = new Failure[size];
    }
  }

  private static Ends begin(FakeNetwork network, int size, int tag, IntFunction<Schedule> of) {
    Ends ends = new Ends(size);
    for (int each = 0; each < size; each++) {
      int rank = each;
      network
          .executions(rank)
          .begin(
              new Execution(
                  of.apply(rank),
                  CONTEXT,
                  tag,
                  members(size),
                  why -> {
                    assertTrue(!ends.done[rank], "told twice");
                    ends.done[rank] = true;
                    ends.failures[rank] = why;
                  }));
    }
    return ends;
  }

  private static void run(int size, int seed, IntFunction<Schedule> of) {
    FakeNetwork network = network(size, seed);
    Ends ends = begin(network, size, 0, of);
    network.settle();
    for (int rank = 0; rank < size; rank++) {
      assertTrue(ends.done[rank], "rank " + rank + " of " + size + " is not done");
      assertNull(ends.failures[rank]);
      assertTrue(network.executions(rank).isQuiet());
      assertEquals(0, network.rank(rank).unexpected());
    }
  }

  private static long[][] content(int size, int length, int seed) {
    Random random = new Random(seed);
    long[][] content = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      content[rank] = random.longs(length, 0, 1000).toArray();
    }
    return content;
  }

  private static MemorySegment of(long[] array) {
    return MemorySegment.ofArray(array);
  }

  private static long[] combined(long[][] in, Combiner combiner) {
    long[] all = in[0].clone();
    for (int rank = 1; rank < in.length; rank++) {
      long[] right = in[rank].clone();
      combiner.combine(of(all), of(right));
      all = right;
    }
    return all;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void eachMeansWhatItSays(int size) {
    for (int length : new int[] {0, 2, 30, 9000}) {
      for (int root : new int[] {0, size / 2, size - 1}) {
        long[][] in = content(size, length, 7 * size + root);
        long[][] out = new long[size][length];
        run(
            size,
            root,
            rank -> {
              System.arraycopy(in[root], 0, out[root], 0, length);
              return Schedules.broadcast(rank, size, root, of(out[rank]));
            });
        for (int rank = 0; rank < size; rank++) {
          assertArrayEquals(in[root], out[rank]);
        }
        for (Combiner combiner :
            new Combiner[] {new Sum(false), new Compose(false), new Compose(true)}) {
          long[] result = new long[length];
          run(
              size,
              root + 1,
              rank ->
                  Schedules.reduce(
                      rank,
                      size,
                      root,
                      of(in[rank]),
                      of(rank == root ? result : out[rank]),
                      combiner));
          assertArrayEquals(combined(in, combiner), result);
        }
        long[] gathered = new long[size * length];
        run(size, root, rank -> Schedules.gather(rank, size, root, of(in[rank]), of(gathered)));
        for (int rank = 0; rank < size; rank++) {
          assertArrayEquals(
              in[rank], Arrays.copyOfRange(gathered, rank * length, (rank + 1) * length));
        }
        run(size, root, rank -> Schedules.scatter(rank, size, root, of(gathered), of(out[rank])));
        assertArrayEquals(in, out);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void whatAllGetIsTheSameInAll(int size) {
    for (int length : new int[] {0, 2, 30, 9000}) {
      long[][] in = content(size, length, size);
      for (Combiner combiner :
          new Combiner[] {new Sum(false), new Sum(true), new Compose(false), new Compose(true)}) {
        long[][] out = new long[size][length];
        run(
            size,
            length,
            rank -> Schedules.allreduce(rank, size, of(in[rank]), of(out[rank]), combiner));
        long[] expected = combined(in, combiner);
        for (int rank = 0; rank < size; rank++) {
          assertArrayEquals(expected, out[rank], "rank " + rank);
        }
      }
      long[][] all = new long[size][size * length];
      run(size, length, rank -> Schedules.allgather(rank, size, of(in[rank]), of(all[rank])));
      for (int rank = 0; rank < size; rank++) {
        for (int from = 0; from < size; from++) {
          assertArrayEquals(
              in[from], Arrays.copyOfRange(all[rank], from * length, (from + 1) * length));
        }
      }
      long[][] each = content(size, size * length, size + 1);
      long[][] got = new long[size][size * length];
      run(size, length, rank -> Schedules.alltoall(rank, size, of(each[rank]), of(got[rank])));
      for (int rank = 0; rank < size; rank++) {
        for (int from = 0; from < size; from++) {
          assertArrayEquals(
              Arrays.copyOfRange(each[from], rank * length, (rank + 1) * length),
              Arrays.copyOfRange(got[rank], from * length, (from + 1) * length));
        }
      }
    }
  }

  /** Nobody passes a barrier before the last one has come. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 5, 8, 9})
  void nobodyPassesBeforeAllHaveCome(int size) {
    for (int late = 0; late < size; late++) {
      FakeNetwork network = network(size, late);
      boolean[] passed = new boolean[size];
      for (int turn = 0; turn < 2; turn++) {
        for (int each = 0; each < size; each++) {
          int rank = each;
          if ((rank == late) == (turn == 1)) {
            network
                .executions(rank)
                .begin(
                    new Execution(
                        Schedules.barrier(rank, size),
                        CONTEXT,
                        0,
                        members(size),
                        why -> passed[rank] = why == null));
          }
        }
        network.settle();
        boolean[] expected = new boolean[size];
        Arrays.fill(expected, turn == 1);
        assertArrayEquals(expected, passed);
      }
    }
  }

  /** What the algorithms cost is what is written of them. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 4, 7, 8, 16, 100})
  void messagesBytesAndRoundsAreThoseOfTheAlgorithm(int size) {
    int log = 32 - Integer.numberOfLeadingZeros(size - 1);
    long bytes = 8L * 1000 * size;
    MemorySegment data = MemorySegment.ofArray(new byte[(int) bytes]);
    long broadcasts = 0;
    for (int rank = 0; rank < size; rank++) {
      Schedule barrier = Schedules.barrier(rank, size);
      assertEquals(log, barrier.messages());
      assertEquals(log, barrier.communicationRounds());
      broadcasts += Schedules.broadcast(rank, size, 1, data).messages();
      Schedule ring = Schedules.allreduceRing(rank, size, data, new Sum(false));
      assertEquals(2 * (size - 1), ring.messages());
      assertEquals(2L * (size - 1) * bytes / size, ring.bytes());
      Schedule alltoall = Schedules.alltoall(rank, size, data, data);
      assertEquals((size - 1) * bytes / size, alltoall.bytes());
      if (Integer.bitCount(size) == 1) {
        Schedule doubling = Schedules.allreduceDoubling(rank, size, data, new Sum(false));
        assertEquals(log, doubling.messages());
        assertEquals(log * bytes, doubling.bytes());
      }
    }
    assertEquals(size - 1, broadcasts);
  }

  /** Several at once on one communicator are told apart. */
  @Test
  void severalAreUnderWayAtOnce() {
    int size = 5;
    int many = 20;
    FakeNetwork network = network(size, 3);
    long[][][] out = new long[many][size][10];
    Ends[] ends = new Ends[many];
    for (int tag = 0; tag < many; tag++) {
      long[][] in = content(size, 10, tag);
      long[][] to = out[tag];
      ends[tag] =
          begin(
              network,
              size,
              tag,
              rank -> Schedules.allreduce(rank, size, of(in[rank]), of(to[rank]), new Sum(false)));
    }
    network.settle();
    for (int tag = 0; tag < many; tag++) {
      long[] expected = combined(content(size, 10, tag), new Sum(false));
      for (int rank = 0; rank < size; rank++) {
        assertTrue(ends[tag].done[rank]);
        assertArrayEquals(expected, out[tag][rank]);
      }
    }
  }

  /** Whenever a rank dies, nothing hangs, and who is told is told of that rank. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRankThatDiesEndsItForAll(int size) {
    for (int kind = 0; kind < 6; kind++) {
      int of = kind;
      for (int steps = 0; steps < 60; steps++) {
        FakeNetwork network = network(size, steps);
        int dies = steps % size;
        long[][] in = content(size, 40 * size, 1);
        long[][] out = new long[size][40 * size * size];
        Ends ends = begin(network, size, 0, rank -> schedule(of, rank, size, in[rank], out[rank]));
        for (int step = 0; step < steps; step++) {
          boolean unused = network.step();
        }
        network.kill(dies);
        network.settle();
        for (int rank = 0; rank < size; rank++) {
          if (rank != dies) {
            assertTrue(ends.done[rank], "kind " + kind + ": rank " + rank + " hangs");
            Failure failure = ends.failures[rank];
            assertTrue(failure == null || failure.rank() == dies, () -> String.valueOf(failure));
          }
        }
        Ends next = begin(network, size, 1, rank -> Schedules.barrier(rank, size));
        for (int rank = 0; rank < size; rank++) {
          if (rank != dies) {
            Failure failure = next.failures[rank];
            assertNotNull(failure, "begun after that");
            assertEquals(dies, failure.rank());
          }
        }
      }
    }
  }

  /** Who has done its part may leave at once: the others have all that they need of it. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRankThatHasDoneItsPartMayLeave(int size) {
    for (int kind = 0; kind < 6; kind++) {
      int of = kind;
      for (int seed = 0; seed < 20; seed++) {
        FakeNetwork network = network(size, seed);
        long[][] in = content(size, 40 * size, 1);
        long[][] out = new long[size][40 * size * size];
        Ends ends = begin(network, size, 0, rank -> schedule(of, rank, size, in[rank], out[rank]));
        boolean[] left = new boolean[size];
        boolean more = true;
        while (more) {
          for (int rank = 0; rank < size; rank++) {
            if (ends.done[rank] && !left[rank] && network.rank(rank).isQuiet()) {
              left[rank] = true;
              network.leave(rank);
            }
          }
          more = network.step();
        }
        for (int rank = 0; rank < size; rank++) {
          assertTrue(ends.done[rank], "kind " + kind + ": rank " + rank + " hangs");
          assertNull(ends.failures[rank], "kind " + kind + ": rank " + rank);
        }
      }
    }
  }

  private static Schedule schedule(int kind, int rank, int size, long[] in, long[] out) {
    MemorySegment to = of(out);
    MemorySegment short0 = to.asSlice(0, 8L * in.length);
    return switch (kind) {
      case 0 -> Schedules.barrier(rank, size);
      case 1 -> Schedules.broadcast(rank, size, 0, of(in));
      case 2 -> Schedules.allreduce(rank, size, of(in), short0, new Sum(false));
      case 3 -> Schedules.gather(rank, size, 0, of(in), to);
      case 4 -> Schedules.allgather(rank, size, of(in), to);
      default -> Schedules.alltoall(rank, size, of(in), short0);
    };
  }

  /** Ranks that do not agree on the length are told so. */
  @Test
  void lengthsThatDifferAreToldOf() {
    FakeNetwork network = network(2, 1);
    Ends ends =
        begin(
            network,
            2,
            0,
            rank ->
                Schedules.broadcast(
                    rank, 2, 0, MemorySegment.ofArray(new byte[rank == 0 ? 8 : 7])));
    network.settle();
    assertNull(ends.failures[0]);
    Failure failure = ends.failures[1];
    assertNotNull(failure);
    assertEquals(Failure.Kind.MISMATCH, failure.kind());
    assertTrue(failure.text().contains("sends 8 bytes, and 7 are expected"), failure.text());
  }
}
