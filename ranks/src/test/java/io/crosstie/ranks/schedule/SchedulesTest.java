// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.FakeNetwork;
import io.crosstie.ranks.p2p.Limits;
import java.lang.foreign.Arena;
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
  static final int CONTEXT = 1;
  private static final int KINDS = 14;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** Sums of longs. */
  record Sum(boolean isForeign) implements Combiner {
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

  /** Fails. */
  record Throwing(Error error) implements Combiner {
    @Override
    public int elementBytes() {
      return Long.BYTES;
    }

    @Override
    public boolean isCommutative() {
      return true;
    }

    @Override
    public boolean isForeign() {
      return false;
    }

    @Override
    public void combine(MemorySegment left, MemorySegment right) {
      throw error;
    }
  }

  /** Compositions x -> a x + b, as pairs of longs: the order matters. */
  record Compose(boolean isForeign) implements Combiner {
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

  static FakeNetwork network(int size, int seed) {
    FakeNetwork network =
        new FakeNetwork(new Random(seed), size, new Limits(256, 2 + seed % 5, 1000), 2);
    BitSet all = new BitSet();
    all.set(0, size);
    for (int rank = 0; rank < size; rank++) {
      network.rank(rank).openContext(0, all);
    }
    return network;
  }

  static int[] members(int size) {
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

  static void run(int size, int seed, IntFunction<Schedule> of) {
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

  /** Work of the application's that it never got is not waited for. */
  @Test
  void whatCannotBeLentFails() {
    MemorySegment one = of(new long[] {1});
    Schedule schedule = new Schedule().local(Local.combine(new Sum(true), one, one, false));
    Failure[] told = new Failure[1];
    Execution execution = new Execution(schedule, CONTEXT, 0, members(1), why -> told[0] = why);
    FakeNetwork network = network(1, 1);
    ForeignWork full =
        (of, local) -> {
          throw new AssertionError("planted");
        };
    assertThrows(AssertionError.class, () -> execution.advance(network.rank(0), full, 1000));
    Failure failure = Failure.of(Failure.Kind.OPERATION, "planted");
    execution.fail(network.rank(0), failure);
    assertEquals(failure, told[0]);
    assertEquals(1, one.get(LONG, 0)); // nobody has done it
  }

  /** What came to nobody may still come, so that its memory is never used again. */
  @Test
  void memoryIsUsedAgainWhereAllHasCome() {
    int bytes = 100_000;
    Schedule schedule = new Schedule();
    long address = schedule.memory(bytes).address();
    boolean[] over = new boolean[1];
    FakeNetwork network = network(2, 1);
    network
        .executions(0)
        .begin(new Execution(schedule, CONTEXT, 0, members(2), why -> over[0] = why == null));
    network.settle();
    assertTrue(over[0]);
    Schedule next = new Schedule();
    assertEquals(address, next.memory(bytes).address());
    Failure failure = Failure.of(Failure.Kind.OPERATION, "not to be done");
    new Execution(next, CONTEXT, 1, members(2), why -> {}).abort(network.rank(0), failure);
    assertNotEquals(address, new Schedule().memory(bytes).address());
  }

  static long[][] content(int size, int length, int seed) {
    Random random = new Random(seed);
    long[][] content = new long[size][];
    for (int rank = 0; rank < size; rank++) {
      content[rank] = random.longs(length, 0, 1000).toArray();
    }
    return content;
  }

  static MemorySegment of(long[] array) {
    return MemorySegment.ofArray(array);
  }

  static long[] combined(long[][] in, Combiner combiner) {
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

  /** Whatever algorithm is forced, the result is the same; also with fewer elements than ranks. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void allAlgorithmsComeToTheSameResult(int size) {
    for (int length : new int[] {0, 2, 30, 3000}) {
      long[][] in = content(size, length, size);
      for (Algorithm algorithm : Algorithm.values()) {
        int root = size / 2;
        long[][] out = new long[size][length];
        if (algorithm.isFor(Mark.Kind.BCAST)) {
          out[root] = in[root].clone();
          run(
              size,
              length,
              rank -> {
                MemorySegment memory = of(out[rank]);
                return Schedules.broadcast(
                    algorithm, rank, size, root, rank == root ? memory.asReadOnly() : memory);
              });
          for (int rank = 0; rank < size; rank++) {
            assertArrayEquals(in[root], out[rank], algorithm + ", rank " + rank);
          }
        }
        if (algorithm.isFor(Mark.Kind.ALLREDUCE)) {
          for (Combiner combiner : new Combiner[] {new Sum(false), new Compose(false)}) {
            long[] expected = combined(in, combiner);
            for (boolean inPlace : new boolean[] {false, true}) {
              long[][] from = inPlace ? out : in;
              for (int rank = 0; inPlace && rank < size; rank++) {
                out[rank] = in[rank].clone();
              }
              run(
                  size,
                  length,
                  rank ->
                      Schedules.allreduce(
                          algorithm, rank, size, of(from[rank]), of(out[rank]), combiner));
              String what = algorithm + (inPlace ? " in place" : "");
              for (int rank = 0; rank < size; rank++) {
                assertArrayEquals(expected, out[rank], what + ", rank " + rank);
              }
            }
          }
        }
        if (algorithm.isFor(Mark.Kind.ALLGATHER)) {
          long[][] all = new long[size][size * length];
          run(
              size,
              length,
              rank -> Schedules.allgather(algorithm, rank, size, of(in[rank]), of(all[rank])));
          for (int rank = 0; rank < size; rank++) {
            for (int from = 0; from < size; from++) {
              assertArrayEquals(
                  in[from],
                  Arrays.copyOfRange(all[rank], from * length, (from + 1) * length),
                  algorithm + ", rank " + rank);
            }
          }
        }
      }
    }
  }

  /** None that is as much as that. */
  @Test
  @SuppressWarnings("restricted") // none of it is touched
  void anAllreduceOfOneRankTakesNoMemory() {
    MemorySegment huge = MemorySegment.NULL.reinterpret(1L << 40);
    for (Algorithm algorithm : Algorithm.values()) {
      Schedule alone = Schedules.allreduce(algorithm, 0, 1, huge, huge, new Sum(false));
      assertEquals(0, alone.communicationRounds());
    }
  }

  @Test
  void algorithmsAreChosenByRanksAndBytes() {
    AlgorithmTable usual = AlgorithmTable.usual();
    Mark.Kind kind = Mark.Kind.ALLREDUCE;
    assertEquals(Algorithm.DOUBLING, usual.choose(Mark.Kind.ALLREDUCE, 2, 1 << 20));
    assertEquals(Algorithm.DOUBLING, usual.choose(Mark.Kind.ALLREDUCE, 8, (64 << 10) - 1));
    assertEquals(Algorithm.RING, usual.choose(Mark.Kind.ALLREDUCE, 8, 64 << 10));
    AlgorithmTable forced = usual.with("allreduce=halving, bcast@100=scatter-allgather");
    assertEquals(Algorithm.HALVING, forced.choose(Mark.Kind.ALLREDUCE, 8, 0));
    assertEquals(Algorithm.HALVING, forced.choose(Mark.Kind.ALLREDUCE, 2, 1L << 40));
    assertEquals(Algorithm.BINOMIAL, forced.choose(Mark.Kind.BCAST, 9, 99));
    assertEquals(Algorithm.SCATTER_ALLGATHER, forced.choose(Mark.Kind.BCAST, 2, 100));
    assertEquals(Algorithm.BRUCK, forced.choose(Mark.Kind.ALLGATHER, 5, 8));
    assertEquals(Algorithm.TWO_LEVEL, usual.choose(Mark.Kind.ALLREDUCE, 8, 1 << 20, true));
    assertEquals(Algorithm.RING, usual.with("allreduce=ring").choose(kind, 8, 8, true));
    AlgorithmTable both = usual.with("allreduce=ring, allreduce@100=two-level");
    assertEquals(Algorithm.TWO_LEVEL, both.choose(kind, 8, 100, true));
    assertEquals(Algorithm.RING, both.choose(kind, 8, 99, true));
    assertEquals(Algorithm.RING, both.choose(kind, 8, 100, false));
    for (String[] wrong :
        new String[][] {
          {"allreduce=bruck", "there are doubling, halving, ring"},
          {"scan=ring", "nothing to choose for \"scan\", but for barrier, bcast, reduce"},
          {"barrier=ring", "there are dissemination, two-level"},
          {"ring", "write allreduce=ring"},
          {"allreduce@x=ring", "\"x\" is no number of bytes"}
        }) {
      String said =
          assertThrows(IllegalArgumentException.class, () -> usual.with(wrong[0])).getMessage();
      assertTrue(said.contains(wrong[1]), said);
    }
  }

  /** Parts of any length, some of them empty, with holes between them that are not touched. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 8, 9})
  void partsOfAnyLengthComeToTheirPlaces(int size) {
    for (int seed = 0; seed < 6; seed++) {
      Random random = new Random(seed);
      int most = seed < 3 ? 20 : 900;
      int[][] counts = new int[size][size]; // from, to
      for (int[] each : counts) {
        Arrays.setAll(each, i -> random.nextInt(3) == 0 ? 0 : random.nextInt(most));
      }
      int place = 1000;
      long[][] in = content(size, place * size, seed);
      long[][] out = new long[size][place * size];
      run(
          size,
          seed,
          rank ->
              Schedules.alltoall(
                  rank,
                  size,
                  to -> of(in[rank]).asSlice(8L * place * to, 8L * counts[rank][to]),
                  from -> of(out[rank]).asSlice(8L * place * from, 8L * counts[from][rank])));
      for (int rank = 0; rank < size; rank++) {
        long[] expected = new long[place * size];
        for (int from = 0; from < size; from++) {
          System.arraycopy(in[from], place * rank, expected, place * from, counts[from][rank]);
        }
        assertArrayEquals(expected, out[rank]);
      }
      int root = seed % size;
      int[] lengths = counts[root];
      long[] gathered = new long[place * size];
      Blocks parts = rank -> of(gathered).asSlice(8L * place * rank, 8L * lengths[rank]);
      run(
          size,
          seed,
          rank ->
              Schedules.gather(
                  rank, size, root, of(in[rank]).asSlice(0, 8L * lengths[rank]), parts));
      long[] expected = new long[place * size];
      for (int rank = 0; rank < size; rank++) {
        System.arraycopy(in[rank], 0, expected, place * rank, lengths[rank]);
      }
      assertArrayEquals(expected, gathered);
      long[][] back = new long[size][place];
      run(
          size,
          seed,
          rank ->
              Schedules.scatter(
                  rank, size, root, parts, of(back[rank]).asSlice(0, 8L * lengths[rank])));
      long[][] everywhere = new long[size][place * size];
      run(
          size,
          seed,
          rank ->
              Schedules.allgather(
                  rank,
                  size,
                  of(in[rank]).asSlice(0, 8L * lengths[rank]),
                  of -> of(everywhere[rank]).asSlice(8L * place * of, 8L * lengths[of])));
      for (int rank = 0; rank < size; rank++) {
        assertArrayEquals(
            Arrays.copyOf(in[rank], lengths[rank]), Arrays.copyOf(back[rank], lengths[rank]));
        assertArrayEquals(
            new long[place - lengths[rank]], Arrays.copyOfRange(back[rank], lengths[rank], place));
        assertArrayEquals(expected, everywhere[rank]);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void eachGetsItsPartOfWhatIsCombined(int size) {
    for (int most : new int[] {0, 2, 40, 3000}) {
      Random random = new Random(most);
      int[] from = new int[size + 1];
      for (int rank = 0; rank < size; rank++) { // in pairs
        from[rank + 1] = from[rank] + 2 * random.nextInt(most / 2 + 1);
      }
      long[][] in = content(size, from[size], size);
      for (Combiner combiner :
          new Combiner[] {new Sum(false), new Sum(true), new Compose(false), new Compose(true)}) {
        long[] expected = combined(in, combiner);
        for (boolean inPlace : new boolean[] {false, true}) {
          long[][] of = new long[size][];
          Arrays.setAll(of, rank -> in[rank].clone());
          long[][] out = new long[size][from[size]];
          run(
              size,
              most,
              rank ->
                  Schedules.reduceScatter(
                      rank,
                      size,
                      part ->
                          of(of[rank]).asSlice(8L * from[part], 8L * (from[part + 1] - from[part])),
                      of(inPlace ? of[rank] : out[rank])
                          .asSlice(8L * from[rank], 8L * (from[rank + 1] - from[rank])),
                      combiner));
          for (int rank = 0; rank < size; rank++) {
            long[] result = inPlace ? of[rank] : out[rank];
            for (int i = 0; i < from[size]; i++) {
              boolean isMine = i >= from[rank] && i < from[rank + 1];
              long other = inPlace ? in[rank][i] : 0;
              assertEquals(isMine ? expected[i] : other, result[i], "rank " + rank);
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9})
  void eachGetsWhatThoseBeforeItHaveCombined(int size) {
    for (int length : new int[] {0, 2, 30, 9000}) {
      long[][] in = content(size, length, size);
      for (Combiner combiner :
          new Combiner[] {new Sum(false), new Sum(true), new Compose(false), new Compose(true)}) {
        for (boolean inclusive : new boolean[] {true, false}) {
          for (boolean inPlace : new boolean[] {false, true}) {
            long[][] of = new long[size][];
            Arrays.setAll(of, rank -> in[rank].clone());
            long[][] out = new long[size][length];
            run(
                size,
                length,
                rank ->
                    Schedules.scan(
                        rank,
                        size,
                        of(of[rank]),
                        of(inPlace ? of[rank] : out[rank]),
                        combiner,
                        inclusive));
            for (int rank = 0; rank < size; rank++) {
              long[] result = inPlace ? of[rank] : out[rank];
              int upTo = inclusive ? rank + 1 : rank;
              assertArrayEquals(
                  upTo > 0
                      ? combined(Arrays.copyOf(in, upTo), combiner)
                      : inPlace ? in[0] : new long[length],
                  result,
                  "rank " + rank);
            }
          }
        }
      }
    }
  }

  /** Neighbours in a ring: where there are two ranks each is there twice. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void neighboursExchangeWhatTheyHave(int size) {
    for (int length : new int[] {0, 5, 4000}) {
      long[][] in = content(size, 2 * length, size);
      long[][] out = new long[size][2 * length];
      run(
          size,
          length,
          rank -> {
            int next = (rank + 1) % size;
            int before = (rank - 1 + size) % size;
            return Schedules.exchange(
                new int[] {next, before},
                Blocks.even(of(in[rank]), 2),
                new int[] {before, next},
                Blocks.even(of(out[rank]), 2));
          });
      for (int rank = 0; rank < size; rank++) {
        assertArrayEquals(
            Arrays.copyOf(in[(rank - 1 + size) % size], length), Arrays.copyOf(out[rank], length));
        assertArrayEquals(
            Arrays.copyOfRange(in[(rank + 1) % size], length, 2 * length),
            Arrays.copyOfRange(out[rank], length, 2 * length));
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
    long scattered = 0;
    for (int rank = 0; rank < size; rank++) {
      Schedule barrier = Schedules.barrier(rank, size);
      assertEquals(log, barrier.messages());
      assertEquals(log, barrier.communicationRounds());
      broadcasts += Schedules.broadcast(Algorithm.BINOMIAL, rank, size, 1, data).messages();
      Schedule ring = Schedules.allreduceRing(rank, size, data, new Sum(false));
      assertEquals(2 * (size - 1), ring.messages());
      assertEquals(2L * (size - 1) * bytes / size, ring.bytes());
      Schedule bruck =
          Schedules.allgather(Algorithm.BRUCK, rank, size, data.asSlice(0, bytes / size), data);
      assertEquals(log, bruck.messages());
      assertEquals((size - 1) * bytes / size, bruck.bytes());
      Schedule gatherRing =
          Schedules.allgather(Algorithm.RING, rank, size, data.asSlice(0, bytes / size), data);
      assertEquals(size - 1, gatherRing.messages());
      assertEquals((size - 1) * bytes / size, gatherRing.bytes());
      Schedule inParts = Schedules.broadcast(Algorithm.SCATTER_ALLGATHER, rank, size, 0, data);
      scattered += inParts.bytes();
      if (Integer.bitCount(size) == 1) {
        Schedule halving = Schedules.allreduceHalving(rank, size, null, data, new Sum(false));
        assertEquals(2 * log, halving.messages());
        assertEquals(2L * (size - 1) * bytes / size, halving.bytes());
        assertEquals(2L * log, halving.communicationRounds());
      }
      Schedule alltoall = Schedules.alltoall(rank, size, data, data);
      assertEquals((size - 1) * bytes / size, alltoall.bytes());
      for (Combiner combiner : new Combiner[] {new Sum(false), new Compose(false)}) {
        Blocks parts = Blocks.even(data, size);
        Schedule reduceScatter =
            Schedules.reduceScatter(rank, size, parts, parts.of(rank), combiner);
        assertEquals(size - 1, reduceScatter.messages());
        assertEquals(size - 1, reduceScatter.communicationRounds());
        assertEquals((size - 1) * bytes / size, reduceScatter.bytes());
      }
      Schedule scan = Schedules.scan(rank, size, data, data, new Sum(false), true);
      int above = 32 - Integer.numberOfLeadingZeros(size - 1 - rank);
      assertEquals(above, scan.messages());
      assertEquals(above * bytes, scan.bytes());
      int below = 32 - Integer.numberOfLeadingZeros(rank);
      assertEquals(Math.max(above, below), scan.communicationRounds());
      if (Integer.bitCount(size) == 1) {
        Schedule doubling = Schedules.allreduceDoubling(rank, size, null, data, new Sum(false));
        assertEquals(log, doubling.messages());
        assertEquals(log * bytes, doubling.bytes());
      }
    }
    assertEquals(size - 1, broadcasts);
    long down = 0; // each goes down as many edges as its number has bits
    for (int rank = 1; rank < size; rank++) {
      down += Integer.bitCount(rank) * bytes / size;
    }
    long round = (size - 1) * ((size - 1) * bytes / size); // nothing to the root
    assertEquals(down + round, scattered);
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

  /** One whose own code throws what nobody expects; whoever waits is told, and the others go on. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void anErrorInOneOperationIsToldAndKeepsNoOther(int size) {
    Error error = new AssertionError("planted");
    for (int seed = 0; seed < 12; seed++) {
      int bad = seed % size;
      FakeNetwork network = network(size, seed);
      network.plant(error);
      long[][] in = content(size, 10, seed);
      long[][] lost = new long[size][10];
      Ends fails =
          begin(
              network,
              size,
              0,
              rank -> {
                Schedule schedule = new Schedule();
                if (rank == bad) {
                  Schedule unused =
                      schedule
                          .local(
                              Local.combine(new Throwing(error), of(in[rank]), of(in[rank]), true))
                          .next();
                }
                return schedule.append(
                    Schedules.allreduce(rank, size, of(in[rank]), of(lost[rank]), new Sum(false)),
                    members(size));
              });
      long[][] out = new long[size][10];
      Ends good =
          begin(
              network,
              size,
              1,
              rank -> Schedules.allreduce(rank, size, of(in[rank]), of(out[rank]), new Sum(false)));
      network.settle();
      assertEquals(1, network.contained());
      for (int rank = 0; rank < size; rank++) {
        assertTrue(fails.done[rank], "rank " + rank + " hangs");
        Failure failure = fails.failures[rank];
        assertNotNull(failure);
        String said = rank == bad ? "planted" : "could not do its part";
        assertTrue(failure.text().contains(said), failure.text());
        assertTrue(good.done[rank]);
        assertNull(good.failures[rank]);
        assertArrayEquals(combined(in, new Sum(false)), out[rank]);
        assertTrue(network.executions(rank).isQuiet());
      }
    }
  }

  /** So does what it sends: the operation ends at this rank, and the others go on. */
  @Test
  void anErrorWhileARoundBeginsIsToldAndKeepsNoOther() {
    Error error = new AssertionError("planted");
    FakeNetwork network = network(2, 1);
    network.plant(error);
    Ends ends = new Ends(2);
    network.failTo(1);
    MemorySegment memory = of(new long[1]);
    Schedule[] schedules = {
      new Schedule().receive(1, memory).send(1, memory).send(1, memory),
      new Schedule().receive(1, memory)
    };
    for (int i = 0; i < 2; i++) {
      int number = i;
      network
          .executions(0)
          .begin(
              new Execution(
                  schedules[i],
                  CONTEXT,
                  i,
                  members(2),
                  why -> {
                    ends.done[number] = true;
                    ends.failures[number] = why;
                  }));
    }
    network
        .executions(1)
        .begin(new Execution(new Schedule().send(0, memory), CONTEXT, 1, members(2), why -> {}));
    int unused = network.executions(0).progress();
    assertSame(error, network.rank(0).errors().take());
    assertNull(network.rank(0).errors().take());
    assertTrue(ends.done[0]);
    network.failTo(-1);
    network.settle();
    assertTrue(ends.done[0] && ends.done[1]);
    Failure failure = ends.failures[0];
    assertNotNull(failure);
    assertTrue(failure.text().contains("unexpected: " + error), failure.text());
    assertNull(ends.failures[1]);
    assertTrue(network.executions(0).isQuiet());
  }

  /**
   * Whenever a rank dies, and whoever hears of it first, nothing hangs, and who is told is told of
   * that rank: not that another one has given up.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRankThatDiesEndsItForAll(int size) {
    for (int kind = 0; kind < KINDS; kind++) {
      int of = kind;
      for (int steps = 0; steps < 60; steps++) {
        FakeNetwork network = network(size, steps);
        int dies = steps % size;
        boolean isNative = steps % 3 > 0; // puts, and not only pieces
        long[][] in = content(size, 40 * size, 1);
        Ends ends =
            begin(
                network,
                size,
                0,
                rank -> {
                  MemorySegment from = memory(isNative, 40 * size).copyFrom(of(in[rank]));
                  return schedule(of, rank, size, from, memory(isNative, 40 * size * size));
                });
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

  /**
   * A rank's memory is gone before its part begins: it fails there, nobody waits, who is told is
   * told that a rank could not send, and the next operation is sound.
   */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRankThatCannotReadItsMemoryTellsTheOthers(int size) {
    int told = 0;
    for (int kind = 0; kind < KINDS; kind++) {
      int of = kind;
      for (int seed = 0; seed < 12; seed++) {
        FakeNetwork network = network(size, seed);
        int bad = seed % size;
        int length = seed % 2 == 0 ? 2 * size : 40 * size; // within and beyond the eager limit
        Arena arena = Arena.ofShared();
        MemorySegment gone = arena.allocate((long) length * Long.BYTES, 8);
        Ends ends =
            begin(
                network,
                size,
                0,
                rank -> {
                  MemorySegment in = rank == bad ? gone : memory(true, length);
                  Schedule schedule = schedule(of, rank, size, in, memory(true, length * size));
                  if (rank == bad) {
                    arena.close();
                  }
                  return schedule;
                });
        network.settle();
        for (int rank = 0; rank < size; rank++) {
          assertTrue(ends.done[rank], "kind " + kind + ": rank " + rank + " hangs");
          Failure failure = ends.failures[rank];
          if (failure != null && rank == bad) {
            assertEquals(Failure.Kind.MEMORY, failure.kind(), failure.text());
          } else if (failure != null) {
            told++;
            String text = failure.text();
            assertTrue(text.contains("cannot send it") || text.contains("could not do"), text);
          }
        }
        Ends next = begin(network, size, 1, rank -> Schedules.barrier(rank, size));
        network.settle();
        for (int rank = 0; rank < size; rank++) {
          assertTrue(next.done[rank]);
          assertNull(next.failures[rank]);
        }
      }
    }
    assertTrue(told >= 40, "told " + told);
  }

  /** Who has done its part may leave at once: the others have all that they need of it. */
  @ParameterizedTest
  @ValueSource(ints = {2, 3, 5})
  void aRankThatHasDoneItsPartMayLeave(int size) {
    for (int kind = 0; kind < KINDS; kind++) {
      int of = kind;
      for (int seed = 0; seed < 20; seed++) {
        FakeNetwork network = network(size, seed);
        long[][] in = content(size, 40 * size, 1);
        long[][] out = new long[size][40 * size * size];
        Ends ends =
            begin(network, size, 0, rank -> schedule(of, rank, size, of(in[rank]), of(out[rank])));
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

  private static MemorySegment memory(boolean isNative, int longs) {
    return isNative ? Arena.ofAuto().allocate(8L * longs, 8) : of(new long[longs]);
  }

  private static Schedule schedule(
      int kind, int rank, int size, MemorySegment in, MemorySegment to) {
    MemorySegment short0 = to.asSlice(0, in.byteSize());
    return switch (kind) {
      case 0 -> Schedules.barrier(rank, size);
      case 1 -> Schedules.broadcast(rank, size, 0, in);
      case 2 -> Schedules.allreduce(rank, size, in, short0, new Sum(false));
      case 3 -> Schedules.gather(rank, size, 0, in, to);
      case 4 -> Schedules.allgather(rank, size, in, to);
      case 5 -> Schedules.alltoall(rank, size, in, short0);
      case 6 -> Schedules.scan(rank, size, in, short0, new Compose(true), true);
      case 7, 8 -> {
        Blocks parts = Blocks.even(in, size);
        MemorySegment part = to.asSlice(0, parts.of(0).byteSize());
        Combiner combiner = kind == 7 ? new Sum(false) : new Compose(false);
        yield Schedules.reduceScatter(rank, size, parts, part, combiner);
      }
      default -> onTwoLevels(kind, rank, size, in, to, short0);
    };
  }

  private static Schedule onTwoLevels(
      int kind, int rank, int size, MemorySegment in, MemorySegment to, MemorySegment short0) {
    int[] numbers = new int[size];
    Arrays.setAll(numbers, of -> of < size / 2 ? 0 : 1);
    Hosts hosts = Hosts.of(numbers);
    if (!hosts.areShared()) {
      return Schedules.barrier(rank, size);
    }
    Combiner compose = new Compose(false);
    return switch (kind) {
      case 9 -> TwoLevels.barrier(rank, hosts);
      case 10 -> TwoLevels.broadcast(Algorithm.BINOMIAL, rank, hosts, size - 1, in);
      case 11 -> TwoLevels.reduce(rank, hosts, size - 1, in, short0, compose);
      case 12 -> TwoLevels.allreduce(Algorithm.RING, rank, hosts, in, short0, new Sum(true));
      case 13 -> TwoLevels.allgather(Algorithm.RING, rank, hosts, in, to);
      default -> throw new IllegalArgumentException("kind " + kind);
    };
  }

  /** Whoever meets a message of another operation, or of another root, says so. */
  @Test
  void operationsThatDifferAreToldOf() {
    int[] marks = {
      Mark.of(Mark.Kind.BCAST, 0), Mark.of(Mark.Kind.BARRIER), Mark.of(Mark.Kind.BCAST, 1)
    };
    for (int its : marks) {
      for (int mine : marks) {
        for (int length : new int[] {8, 5000}) {
          FakeNetwork network = network(2, 1);
          Ends ends =
              begin(
                  network,
                  2,
                  0,
                  rank ->
                      Schedules.broadcast(rank, 2, 0, of(new long[length]))
                          .marked(rank == 0 ? its : mine));
          network.settle();
          Failure failure = ends.failures[1];
          assertTrue(ends.done[1]);
          assertEquals(its != mine, failure != null);
          if (failure != null) {
            assertEquals(Failure.Kind.MISMATCH, failure.kind());
            String text = failure.text();
            boolean same = Mark.kind(its) == Mark.kind(mine);
            assertEquals(same, text.contains("another root"), text);
            assertTrue(
                text.contains("rank 0 calls " + Mark.kind(its) + " where this one calls "), text);
          }
        }
      }
    }
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
