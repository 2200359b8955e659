// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.messaging.Peer;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collective operations of ranks in one JVM, over real rails. */
@Timeout(180)
final class CollectivesTest {
  private static final String SHM = "shm:";

  @ParameterizedTest
  @CsvSource({"1, shm:", "2, shm:", "3, udp://127.0.0.1:0", "5, shm:"})
  void allOfThem(int size, String rail) throws InterruptedException {
    try (Worlds worlds = new Worlds(size, rail)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int rank = all.rank();
            for (int length : new int[] {1, 1000, 100_000}) {
              all.barrier();
              double[] data = new double[length];
              if (rank == size - 1) {
                Arrays.setAll(data, i -> i * 0.5);
              }
              all.bcast(Data.of(data), size - 1);
              assertEquals((length - 1) * 0.5, data[length - 1]);
              Arrays.setAll(data, i -> i + rank);
              double[] sum = new double[length];
              all.allreduce(Data.of(data), Data.of(sum), Reduction.SUM);
              int ranks = size * (size - 1) / 2;
              assertEquals(ranks, sum[0]);
              assertEquals((double) size * (length - 1) + ranks, sum[length - 1]);
              int[] max = {rank, -rank};
              all.reduce(Data.of(max), Data.of(max), Reduction.MAX, 0);
              assertArrayEquals(rank == 0 ? new int[] {size - 1, 0} : max, max);
              double[] gathered = new double[rank == 0 ? size * length : 0];
              all.gather(Data.of(data), Data.of(gathered), 0);
              double[] part = new double[length];
              all.scatter(Data.of(gathered), Data.of(part), 0);
              assertArrayEquals(data, part);
              double[] each = new double[size * length];
              all.allgather(Data.of(data), Data.of(each));
              double[] turned = new double[size * length];
              all.alltoall(Data.of(each), Data.of(turned));
              for (int from = 0; from < size; from++) {
                assertEquals(from, each[from * length]);
                assertEquals(rank, turned[from * length]);
              }
            }
          });
    }
  }

  /** Where ranks share hosts only one of each talks to other hosts; several operations at once. */
  @ParameterizedTest
  @ValueSource(strings = {"a,a,b,b,b", "a,b,b,a,b"})
  void onlyOneRankOfEachHostTalksToOthers(String named) throws InterruptedException {
    List<String> names = List.of(named.split(","));
    int size = names.size();
    Operation last =
        new Operation() {
          @Override
          public void apply(Data left, Data right) {
            assertTrue(
                left.segment().get(JAVA_LONG_UNALIGNED, 0)
                    < right.segment().get(JAVA_LONG_UNALIGNED, 0));
          }
        };
    try (Worlds worlds = new Worlds(size, config -> config.hosts(names), SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int rank = all.rank();
            for (int length : new int[] {1, 5000}) {
              long[] mine = new long[length];
              Arrays.fill(mine, rank);
              long[] sum = new long[length];
              long[] told = new long[length];
              Arrays.fill(told, rank == 0 ? 7 : 0);
              long[] each = new long[size * length];
              long[] most = new long[length];
              Request barrier = all.ibarrier();
              Request summed = all.iallreduce(Data.of(mine), Data.of(sum), Reduction.SUM);
              Request bcast = all.ibcast(Data.of(told), 0);
              Request gathered = all.iallgather(Data.of(mine), Data.of(each));
              Request reduced = all.ireduce(Data.of(mine), Data.of(most), Reduction.MAX, 0);
              for (Request request : List.of(reduced, gathered, bcast, summed, barrier)) {
                Received unused = request.await();
              }
              assertEquals(10, sum[length - 1]);
              assertEquals(7, told[length - 1]);
              assertEquals(rank, each[rank * length]);
              assertEquals(size - 1, each[size * length - 1]);
              assertEquals(rank == 0 ? size - 1 : 0, most[length - 1]);
            }
            boolean leads = names.indexOf(names.get(rank)) == rank;
            for (Peer peer : world.node().peers()) {
              String name = peer.name();
              int other = Integer.parseInt(name.substring(name.lastIndexOf('.') + 1));
              boolean otherLeads = names.indexOf(names.get(other)) == other;
              assertTrue(
                  names.get(other).equals(names.get(rank)) || (leads && otherLeads),
                  rank + " talks to " + other);
            }
            all.barrier(); // all have looked
            long[] order = {rank};
            all.allreduce(Data.of(order), Data.of(order), last);
            assertEquals(size - 1, order[0]);
            Communicator half = all.split(rank % 2, -rank).orElseThrow();
            long[] most = {rank};
            half.allreduce(Data.of(most), Data.of(most), Reduction.MAX);
            assertEquals(rank % 2 == 0 ? 4 : 3, most[0]);
          });
    }
  }

  /** Ranks that do not know the same of their hosts would wait for one another. */
  @Test
  void ranksThatDoNotAgreeOnTheirHostsAreTold() throws InterruptedException {
    AtomicInteger next = new AtomicInteger();
    List<List<String>> names = List.of(List.of("a", "a", "b"), List.of("a", "a", "b"), List.of());
    try (Worlds worlds =
        new Worlds(3, config -> config.hosts(names.get(next.getAndIncrement())), SHM)) {
      worlds.run(
          world -> {
            String said =
                assertThrows(RanksException.class, () -> world.communicator().barrier())
                    .getMessage();
            assertTrue(said.contains("ranks on 2 hosts"), said);
          });
    }
    assertThrows(
        RanksException.class, () -> new Worlds(2, config -> config.hosts(List.of("a")), SHM));
  }

  /** Counts and places of each rank, blocking and not; and what is wrong with them is told. */
  @ParameterizedTest
  @CsvSource({"1, shm:", "2, udp://127.0.0.1:0", "5, shm:"})
  void partsOfTheirOwnLength(int size, String rail) throws InterruptedException {
    try (Worlds worlds = new Worlds(size, rail)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            int rank = all.rank();
            int[] counts = new int[size]; // rank r has r of them, in reversed order and with holes
            int[] places = new int[size];
            Arrays.setAll(counts, i -> i);
            Arrays.setAll(places, i -> (size - 1 - i) * (size + 1));
            int[] mine = new int[rank];
            Arrays.fill(mine, 100 + rank);
            int[] whole = new int[size * (size + 1)];
            int[] expected = whole.clone();
            for (int i = 0; i < size; i++) {
              Arrays.fill(expected, places[i], places[i] + counts[i], 100 + i);
            }
            all.gatherv(Data.of(mine), Data.of(whole).parts(counts, places), size - 1);
            assertArrayEquals(rank == size - 1 ? expected : new int[whole.length], whole);
            int[] part = new int[rank];
            all.scatterv(Data.of(whole).parts(counts, places), Data.of(part), size - 1);
            assertArrayEquals(mine, part);
            int[] same = new int[whole.length];
            Request gathers = all.iallgatherv(Data.of(mine), Data.of(same).parts(counts, places));
            int[] turned = new int[size * rank];
            int[] each = new int[size];
            Arrays.fill(each, rank);
            Request exchange =
                all.ialltoallv(
                    Data.of(expected).parts(counts, places), Data.of(turned).parts(each));
            Request.awaitAll(exchange, gathers);
            assertArrayEquals(expected, same);
            int[] mineOften = new int[size * rank];
            Arrays.fill(mineOften, 100 + rank);
            assertArrayEquals(mineOften, turned);
            long[] in = new long[size * (size - 1) / 2];
            Arrays.setAll(in, i -> i + rank);
            long[] out = new long[rank];
            all.reduceScatter(Data.of(in), Data.of(out), counts, Reduction.SUM);
            long[] block = {-1};
            long[] row = new long[size];
            Arrays.setAll(row, i -> i * 10 + rank);
            all.reduceScatterBlock(Data.of(row), Data.of(block), Reduction.MAX);
            assertEquals(rank * 10 + size - 1, block[0]);
            for (int i = 0; i < rank; i++) {
              assertEquals(
                  (long) size * (rank * (rank - 1) / 2 + i) + size * (size - 1) / 2, out[i]);
            }
            int[] up = {rank + 1};
            all.scan(Data.of(up), Data.of(up), Reduction.PRODUCT);
            int[] before = {77};
            all.exscan(Data.of(new int[] {rank + 1}), Data.of(before), Reduction.PRODUCT);
            int factorial = 1;
            for (int i = 2; i <= rank; i++) {
              factorial *= i;
            }
            assertEquals(factorial * (rank + 1), up[0]);
            assertEquals(rank == 0 ? 77 : factorial, before[0]);
            int middle = size / 2;
            double[] place = {Math.abs(rank - middle), rank, -rank % 2, rank};
            double[] best = new double[4];
            all.allreduce(Data.of(place), Data.of(best), Reduction.MINLOC);
            assertArrayEquals(
                new double[] {0, middle, -(size > 1 ? 1 : 0), size > 1 ? 1 : 0}, best);
            byte[] next = new byte[1];
            all.neighborAlltoallv(
                new int[] {(rank + 1) % size},
                List.of(Data.of(new byte[] {(byte) rank})),
                new int[] {(rank - 1 + size) % size},
                List.of(Data.of(next)));
            assertEquals((rank - 1 + size) % size, next[0]);
            Data five = Data.of(new int[5]);
            assertThrows(IllegalArgumentException.class, () -> five.parts(3, 3));
            assertThrows(IllegalArgumentException.class, () -> five.parts(-1));
            assertThrows(IllegalArgumentException.class, () -> five.parts(new int[2], new int[1]));
            int[] tooMany = new int[size + 1];
            assertThrows(
                IllegalArgumentException.class,
                () -> all.gatherv(Data.none(), five.parts(tooMany), rank));
            assertThrows(
                IllegalArgumentException.class,
                () -> all.allreduce(five, five, Reduction.MAXLOC)); // no pairs
            assertThrows(
                IllegalArgumentException.class,
                () -> all.reduceScatter(five, five, new int[size], Reduction.SUM));
          });
    }
  }

  /** An operation of one's own, in rank order; and several under way at once. */
  @Test
  void anOperationOfOnesOwnTakesRanksInOrder() throws InterruptedException {
    int size = 5;
    Operation compose =
        (left, right) -> {
          for (long i = 0; i < right.count(); i += 2) {
            java.lang.foreign.ValueLayout.OfLong layout =
                java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
            long a = right.segment().getAtIndex(layout, i);
            long before = left.segment().getAtIndex(layout, i + 1);
            right.segment().setAtIndex(layout, i, left.segment().getAtIndex(layout, i) * a);
            right
                .segment()
                .setAtIndex(layout, i + 1, before * a + right.segment().getAtIndex(layout, i + 1));
          }
        };
    try (Worlds worlds = new Worlds(size, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            List<Request> requests = new ArrayList<>();
            long[][] out = new long[10][2];
            for (int i = 0; i < 10; i++) {
              long[] in = {all.rank() + 2, i};
              requests.add(all.iallreduce(Data.of(in), Data.of(out[i]), compose));
            }
            Request.awaitAll(requests);
            for (int i = 0; i < 10; i++) {
              long a = 1;
              long b = 0;
              for (int rank = 0; rank < size; rank++) {
                a *= rank + 2;
                b = b * (rank + 2) + i;
              }
              assertArrayEquals(new long[] {a, b}, out[i]);
            }
            long[] one = new long[1];
            Operation throwing =
                (left, right) -> {
                  throw new IllegalStateException("on purpose");
                };
            Request reduce = all.ireduce(Data.of(one), Data.of(one), throwing, 0);
            if (all.rank() % 2 == 0 && all.rank() < size - 1) { // who has something to combine
              RanksException e = assertThrows(RanksException.class, reduce::await);
              assertTrue(String.valueOf(e.getMessage()).contains("on purpose"), e.getMessage());
            }
          });
    }
  }

  @Test
  void communicatorsKeepTheirMessagesApart() throws InterruptedException {
    try (Worlds worlds = new Worlds(4, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            Communicator same = all.dup();
            int[] got = new int[1];
            if (all.rank() == 0) {
              same.send(new int[] {2}, 1, 5);
              all.send(new int[] {1}, 1, 5);
            } else if (all.rank() == 1) {
              all.recv(got, Communicator.ANY_SOURCE, Communicator.ANY_TAG);
              assertEquals(1, got[0]);
              same.recv(got, 0, 5);
              assertEquals(2, got[0]);
            }
            Communicator half = all.split(all.rank() % 2, -all.rank()).orElseThrow();
            assertEquals(2, half.size());
            assertEquals(1 - all.rank() / 2, half.rank());
            assertEquals(all.rank(), half.worldRank(half.rank()));
            int[] sum = {all.rank()};
            half.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
            assertEquals(all.rank() % 2 == 0 ? 2 : 4, sum[0]);
            Request receive = half.irecv(got, 1 - half.rank(), 0);
            half.send(new int[] {all.rank()}, 1 - half.rank(), 0);
            assertEquals(1 - half.rank(), receive.await().source());
            assertEquals((all.rank() + 2) % 4, got[0]);
            assertEquals(all.rank() == 3, all.split(all.rank() == 3 ? -1 : 0, 0).isEmpty());
          });
    }
  }

  /** Two threads of each rank, which do not start in the same order. */
  @Test
  void threadsMakeCommunicatorsAtOnce() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            Communicator[] own = {all.dup(), all.dup()};
            FutureTask<Boolean> other =
                new FutureTask<>(() -> makeSome(own[all.rank()], all.rank()));
            Thread thread = Thread.ofPlatform().daemon().start(other);
            assertTrue(makeSome(own[1 - all.rank()], 1 - all.rank()));
            thread.join();
            assertTrue(other.resultNow());
          });
    }
  }

  private static boolean makeSome(Communicator of, int id) {
    for (int i = 0; i < 20; i++) {
      Communicator made = i % 2 == 0 ? of.dup() : of.split(0, of.rank()).orElseThrow();
      int[] sum = {100 * i + id};
      made.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
      assertEquals(2 * (100 * i + id), sum[0]);
    }
    return true;
  }

  @Test
  void allTypesAndOperations() {
    World world = World.join(new WorldConfig().job(0, 1, "alone", "").rail(SHM));
    try (world) {
      byte[] b = {7};
      Reduction.BITWISE_XOR.apply(Data.of(new byte[] {5}), Data.of(b));
      assertEquals(2, b[0]);
      short[] s = {-3};
      Reduction.MIN.apply(Data.of(new short[] {4}), Data.of(s));
      assertEquals(-3, s[0]);
      char[] c = {'\uffff'};
      Reduction.MAX.apply(Data.of(new char[] {1}), Data.of(c));
      assertEquals('\uffff', c[0]);
      int[] i = {Integer.MAX_VALUE};
      Reduction.SUM.apply(Data.of(new int[] {1}), Data.of(i));
      assertEquals(Integer.MIN_VALUE, i[0]);
      long[] l = {6};
      Reduction.LOGICAL_AND.apply(Data.of(new long[] {0}), Data.of(l));
      assertEquals(0, l[0]);
      float[] f = {1e-8f};
      Reduction.SUM.apply(Data.of(new float[] {1f}), Data.of(f));
      assertEquals(1f, f[0]);
      double[] d = {2};
      Reduction.PRODUCT.apply(Data.of(new double[] {1.5}), Data.of(d));
      assertEquals(3, d[0]);
      Communicator all = world.communicator();
      assertThrows(
          IllegalArgumentException.class,
          () -> all.allreduce(Data.of(d), Data.of(d), Reduction.BITWISE_AND));
      assertThrows(
          IllegalArgumentException.class,
          () -> all.allreduce(Data.of(d), Data.of(f), Reduction.SUM));
      assertThrows(
          IllegalArgumentException.class, () -> all.allgather(Data.of(d), Data.of(new double[2])));
      assertThrows(IllegalArgumentException.class, () -> all.bcast(Data.of(d), 1));
      assertFalse(all.ibarrier().cancel());
    }
  }

  /** A rank that calls something else is told of, by whoever gets its message. */
  @Test
  void ranksThatCallDifferentOperationsAreTold() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            long[] data = {world.rank()};
            if (world.rank() == 0) {
              all.bcast(Data.of(data), 0);
              all.allgather(Data.of(data), Data.of(new long[2]));
            } else {
              Request reduce = all.iallreduce(Data.of(data), Data.of(new long[1]), Reduction.SUM);
              String told = assertThrows(RanksException.class, reduce::await).getMessage();
              assertTrue(told.contains("rank 0 calls bcast where this one calls allreduce"), told);
              all.allgather(Data.of(data), Data.of(new long[2])); // the next one is sound
            }
          });
    }
  }

  /** The program's operation throws at one rank alone: who depends on it is told, none waits. */
  @ParameterizedTest
  @ValueSource(ints = {4, 100_000})
  void whoDependsOnARankThatFailsIsTold(int count) throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            long[] data = new long[count];
            Operation sum =
                (left, right) -> {
                  if (world.rank() == 1) {
                    throw new IllegalStateException("on purpose");
                  }
                };
            Request reduce = all.iallreduce(Data.of(data), Data.of(new long[count]), sum);
            String told = assertThrows(RanksException.class, reduce::await).getMessage();
            String due = world.rank() == 1 ? "on purpose" : "could not do its part";
            assertTrue(told.contains(due), told);
            all.bcast(Data.of(data), 2); // the next one is sound
            all.barrier();
          });
    }
  }

  /**
   * What a rank gives is gone before it calls: that is told there and to the others, none waits.
   */
  @ParameterizedTest
  @ValueSource(strings = {"reduce", "allreduce", "allgather", "reduceScatter", "scan", "exscan"})
  void whoDependsOnMemoryThatIsGoneIsTold(String operation) throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            Arena arena = Arena.ofShared();
            Data in = Data.of(arena.allocate(3 * 8000), ElementType.LONG);
            Data part = in.part(0, 1000);
            Data out = Data.of(new long[3000]);
            if (world.rank() == 1) {
              arena.close();
            }
            Request request =
                switch (operation) {
                  case "reduce" -> all.ireduce(in, out, Reduction.SUM, 0);
                  case "allreduce" -> all.iallreduce(in, out, Reduction.SUM);
                  case "allgather" -> all.iallgather(part, out);
                  case "reduceScatter" ->
                      all.ireduceScatter(
                          in, out.part(0, 1000), new int[] {1000, 1000, 1000}, Reduction.SUM);
                  case "scan" -> all.iscan(in, out, Reduction.SUM);
                  default -> all.iexscan(in, out, Reduction.SUM);
                };
            boolean dependsNot =
                switch (operation) {
                  case "reduce" -> world.rank() == 2;
                  case "scan", "exscan" -> world.rank() == 0;
                  default -> false;
                };
            if (dependsNot) {
              Received unused = request.await();
            } else {
              String told = assertThrows(RanksException.class, request::await).getMessage();
              String due = world.rank() == 1 ? "memory of a collective" : "could not do its part";
              assertTrue(told.contains(due), told);
            }
            all.barrier(); // the next one is sound
            if (world.rank() != 1) {
              arena.close();
            }
          });
    }
  }

  /** A rank that has left ends collective operations of its communicators, and no others. */
  @Test
  void aRankThatHasLeftEndsTheOperationsThatNeedIt() throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            Communicator two = all.split(all.rank() < 2 ? 0 : 1, 0).orElseThrow();
            if (all.rank() == 2) {
              world.close();
              return;
            }
            RankEndedException e = assertThrows(RankEndedException.class, all::barrier);
            assertEquals(2, e.rank());
            int[] sum = {1};
            two.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
            assertEquals(2, sum[0]);
          });
    }
  }

  /**
   * Two ranks of three make one, by a number that one of them has told the other; and two groups.
   */
  @Test
  void communicatorsThatSomeRanksMakeAlone() throws InterruptedException {
    try (Worlds worlds = new Worlds(3, SHM)) {
      worlds.run(
          world -> {
            int rank = world.rank();
            Communicator all = world.communicator();
            int[] number = {0};
            if (rank == 0) {
              number[0] = world.newNumber();
              all.send(Data.of(number), 2, 1);
            } else if (rank == 2) {
              all.recv(Data.of(number), 0, 1);
            }
            if (rank != 1) {
              Communicator two = world.communicator(number[0], new int[] {2, 0});
              assertEquals(rank == 2 ? 0 : 1, two.rank());
              int[] sum = {rank};
              two.allreduce(Data.of(sum), Data.of(sum), Reduction.SUM);
              assertEquals(2, sum[0]);
            }
            int[] pair = {rank == 1 ? world.newNumber() : 0};
            all.bcast(Data.of(pair), 1);
            int[] others = rank == 1 ? new int[] {2, 0} : new int[] {1};
            Communicator to = world.communicator(pair[0], others);
            assertEquals(-1, to.rank());
            assertEquals(others.length, to.size());
            assertThrows(IllegalStateException.class, to::barrier);
            int[] got = new int[1];
            if (rank == 1) {
              to.send(Data.of(new int[] {44}), 0, 5); // rank 2 of the world
              assertEquals(1, to.recv(Data.of(got), Communicator.ANY_SOURCE, 6).source());
            } else if (rank == 2) {
              assertEquals(0, to.recv(Data.of(got), Communicator.ANY_SOURCE, 5).source());
              assertEquals(44, got[0]);
            } else {
              to.send(Data.of(got), 0, 6);
            }
            for (int[] bad : new int[][] {{0, 0}, {3}, {-1}}) {
              assertThrows(IllegalArgumentException.class, () -> world.communicator(pair[0], bad));
            }
            assertThrows(
                IllegalArgumentException.class, () -> world.communicator(3, new int[] {0}));
            all.barrier();
          });
    }
  }

  /** Nothing is left of communicators that were freed, and what is under way in them ends. */
  @Test
  void tenThousandCommunicatorsThatAreFreedLeaveNothing() throws InterruptedException {
    try (Worlds worlds = new Worlds(2, "shm:")) {
      worlds.run(
          world -> {
            Communicator all = world.communicator();
            for (int i = 0; i < 10_000; i++) {
              Communicator made = all.dup();
              if (i % 1000 == 0) {
                Request receive = made.irecv(new int[1], 1 - world.rank(), 1);
                made.send(new int[] {i}, 1 - world.rank(), 1);
                made.free();
                receive.await();
              }
              made.free();
              assertTrue(i % 100 > 0 || world.openCommunicators() < 4, "they add up");
            }
            assertThrows(IllegalStateException.class, all::free);
            Communicator made = all.dup();
            made.free();
            assertThrows(RanksException.class, () -> made.send(new int[1], 0, 1));
            assertThrows(RanksException.class, made::barrier);
            all.barrier();
            while (world.openCommunicators() > 1) {
              world.idle();
            }
          });
    }
  }
}
