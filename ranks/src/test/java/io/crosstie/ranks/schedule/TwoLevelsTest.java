// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import static io.crosstie.ranks.schedule.SchedulesTest.combined;
import static io.crosstie.ranks.schedule.SchedulesTest.content;
import static io.crosstie.ranks.schedule.SchedulesTest.members;
import static io.crosstie.ranks.schedule.SchedulesTest.network;
import static io.crosstie.ranks.schedule.SchedulesTest.run;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.ranks.p2p.FakeNetwork;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collective operations where ranks share hosts: what they come to, and what passes between. */
final class TwoLevelsTest {
  private static final List<String> LAYOUTS =
      List.of("aabb", "aaab", "abab", "abbbcc", "abcabcad", "aaabbbccc", "ddddaabbbc");

  private static Hosts hosts(String layout) {
    return Hosts.named(List.of(layout.split("")));
  }

  @Test
  void hostsAreThoseThatRanksShare() {
    Hosts hosts = hosts("babac");
    assertTrue(hosts.areShared());
    assertFalse(hosts.isInOrder());
    assertEquals(3, hosts.count());
    assertArrayEquals(new int[] {0, 2}, hosts.ranks(0));
    assertArrayEquals(new int[] {1, 3}, hosts.ranks(hosts.host(3)));
    assertArrayEquals(new int[] {0, 3, 4}, hosts.leaders(3));
    assertFalse(hosts.toString().isEmpty());
    assertFalse(hosts.toString().equals(hosts("bbaac").toString()));
    assertEquals(hosts.toString(), hosts("xyxyz").toString(), "whatever they are called");
    Hosts some = hosts.among(new int[] {4, 3, 1, 0});
    assertTrue(some.areShared() && some.isInOrder());
    assertArrayEquals(new int[] {1, 2}, some.ranks(1));
    assertTrue(hosts("aabb").isInOrder());
    for (Hosts none :
        new Hosts[] {
          hosts("aaaa"),
          hosts("abcd"),
          hosts("a"),
          Hosts.named(List.of()),
          Hosts.named(List.of("a", "a", "")),
          hosts.among(new int[] {0, 1}),
          hosts("aaaa").among(new int[] {0, 1})
        }) {
      assertFalse(none.areShared());
      assertEquals("", none.toString());
    }
  }

  @Test
  void eachMeansWhatItSays() {
    for (String layout : LAYOUTS) {
      Hosts hosts = hosts(layout);
      int size = layout.length();
      for (int length : new int[] {0, 2, 30, 600}) {
        long[][] in = content(size, length, size);
        for (int each = 0; each < size; each += length < 600 ? 1 : 3) {
          int root = each;
          for (Algorithm among :
              new Algorithm[] {Algorithm.BINOMIAL, Algorithm.SCATTER_ALLGATHER}) {
            long[][] out = new long[size][length];
            out[root] = in[root].clone();
            run(
                size,
                root,
                rank -> {
                  MemorySegment memory = SchedulesTest.of(out[rank]);
                  return TwoLevels.broadcast(
                      among, rank, hosts, root, rank == root ? memory.asReadOnly() : memory);
                });
            for (int rank = 0; rank < size; rank++) {
              assertArrayEquals(in[root], out[rank], layout + ", rank " + rank);
            }
          }
          for (Combiner combiner : combiners(hosts)) {
            long[] result = new long[length];
            run(
                size,
                root,
                rank ->
                    TwoLevels.reduce(
                        rank,
                        hosts,
                        root,
                        SchedulesTest.of(in[rank]).asReadOnly(),
                        rank == root ? SchedulesTest.of(result) : MemorySegment.NULL,
                        combiner));
            assertArrayEquals(combined(in, combiner), result, layout + ", root " + root);
          }
        }
      }
    }
  }

  private static List<Combiner> combiners(Hosts hosts) {
    Combiner ordered = new SchedulesTest.Compose(false);
    assertEquals(hosts.isInOrder(), TwoLevels.isFor(hosts, ordered));
    return hosts.isInOrder()
        ? List.of(new SchedulesTest.Sum(false), ordered, new SchedulesTest.Compose(true))
        : List.of(new SchedulesTest.Sum(false), new SchedulesTest.Sum(true));
  }

  @Test
  void whatAllGetIsTheSameInAll() {
    for (String layout : LAYOUTS) {
      Hosts hosts = hosts(layout);
      int size = layout.length();
      for (int length : new int[] {0, 2, 30, 600}) {
        long[][] in = content(size, length, size);
        for (Combiner combiner : combiners(hosts)) {
          for (Algorithm among :
              new Algorithm[] {Algorithm.DOUBLING, Algorithm.HALVING, Algorithm.RING}) {
            long[][] out = new long[size][];
            Arrays.setAll(out, rank -> in[rank].clone()); // in place
            run(
                size,
                length,
                rank ->
                    TwoLevels.allreduce(
                        among,
                        rank,
                        hosts,
                        SchedulesTest.of(out[rank]),
                        SchedulesTest.of(out[rank]),
                        combiner));
            long[] expected = combined(in, combiner);
            for (int rank = 0; rank < size; rank++) {
              assertArrayEquals(expected, out[rank], layout + ", rank " + rank);
            }
          }
        }
        for (Algorithm among : new Algorithm[] {Algorithm.RING, Algorithm.BRUCK}) {
          for (boolean inPlace : new boolean[] {false, true}) {
            long[][] all = new long[size][size * length];
            for (int rank = 0; rank < size && inPlace; rank++) {
              System.arraycopy(in[rank], 0, all[rank], rank * length, length);
            }
            run(
                size,
                length,
                rank ->
                    TwoLevels.allgather(
                        among,
                        rank,
                        hosts,
                        inPlace
                            ? SchedulesTest.of(all[rank]).asSlice(8L * rank * length, 8L * length)
                            : SchedulesTest.of(in[rank]),
                        SchedulesTest.of(all[rank])));
            for (int rank = 0; rank < size; rank++) {
              for (int from = 0; from < size; from++) {
                assertArrayEquals(
                    in[from],
                    Arrays.copyOfRange(all[rank], from * length, (from + 1) * length),
                    layout + ", rank " + rank);
              }
            }
          }
        }
      }
    }
  }

  /** Nobody passes a barrier before the last one has come. */
  @ParameterizedTest
  @ValueSource(strings = {"aabb", "abab", "abbbcc", "aaaaaaab"})
  void nobodyPassesBeforeAllHaveCome(String layout) {
    int size = layout.length();
    Hosts hosts = hosts(layout);
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
                        TwoLevels.barrier(rank, hosts),
                        SchedulesTest.CONTEXT,
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

  /** What an operation costs. */
  private static final class Cost {
    private long messages;
    private long between;
    private long bytesBetween;
    private long mostRounds;

    Cost(Hosts hosts, int size, IntFunction<Schedule> of) {
      for (int rank = 0; rank < size; rank++) {
        Schedule schedule = of.apply(rank);
        messages += schedule.messages();
        mostRounds = Math.max(mostRounds, schedule.communicationRounds());
        for (Schedule.Round round : schedule.rounds()) {
          for (Schedule.Part part : round.sends) {
            if (hosts.host(part.rank()) != hosts.host(rank)) {
              between++;
              bytesBetween += part.memory().byteSize();
            }
          }
        }
      }
    }

    void is(long expectedMessages, long expectedBetween, long expectedBytes, long rounds) {
      assertEquals(expectedMessages, messages, "messages");
      assertEquals(expectedBetween, between, "messages between hosts");
      assertEquals(expectedBytes, bytesBetween, "bytes between hosts");
      assertEquals(rounds, mostRounds, "rounds");
    }
  }

  /** On h hosts with m ranks each, one after the other and in turn. */
  @ParameterizedTest
  @CsvSource({"2, 2", "2, 8", "4, 2", "4, 4", "8, 3", "3, 5", "16, 16"})
  void messagesBytesAndRoundsAreThoseOfTheFormula(int h, int m) {
    int size = h * m;
    int log = 32 - Integer.numberOfLeadingZeros(h - 1);
    int inside = 32 - Integer.numberOfLeadingZeros(m - 1);
    long n = 16L * size;
    MemorySegment data = MemorySegment.ofArray(new byte[(int) n]);
    MemorySegment one = data.asSlice(0, n / size);
    Combiner sum = new SchedulesTest.Sum(false);
    Combiner compose = new SchedulesTest.Compose(false);
    for (boolean inTurn : new boolean[] {false, true}) {
      int[] numbers = new int[size];
      Arrays.setAll(numbers, rank -> inTurn ? rank % h : rank / m);
      Hosts hosts = Hosts.of(numbers);
      long up = (long) size - h; // messages inside of hosts, one way
      new Cost(hosts, size, rank -> TwoLevels.barrier(rank, hosts))
          .is(2 * up + (long) h * log, (long) h * log, 0, Math.max(2 + log, m > 3 ? 4 : 2));
      for (int root : new int[] {0, m, size - 1}) {
        Cost bcast =
            new Cost(
                hosts,
                size,
                rank -> TwoLevels.broadcast(Algorithm.BINOMIAL, rank, hosts, root, data));
        bcast.is(size - 1, h - 1, (h - 1) * n, bcast.mostRounds);
        assertTrue(bcast.mostRounds <= 3);
        Cost reduce =
            new Cost(hosts, size, rank -> TwoLevels.reduce(rank, hosts, root, data, data, sum));
        reduce.is(size - 1, h - 1, (h - 1) * n, inside + log);
        if (!inTurn) {
          int host = hosts.host(root);
          long back = host == 0 ? 0 : 1; // the lowest combines, and tells the root's leader
          long last = hosts.ranks(host)[0] == root ? 0 : 1;
          Cost ordered =
              new Cost(
                  hosts, size, rank -> TwoLevels.reduce(rank, hosts, root, data, data, compose));
          ordered.is(size - 1 + back + last, h - 1 + back, (h - 1 + back) * n, ordered.mostRounds);
        }
      }
      if (Integer.bitCount(h) == 1) {
        new Cost(
                hosts,
                size,
                rank -> TwoLevels.allreduce(Algorithm.DOUBLING, rank, hosts, data, data, sum))
            .is(2 * up + (long) h * log, (long) h * log, (long) h * log * n, inside + log + 1);
      }
      long around = 2L * h * (h - 1);
      new Cost(
              hosts,
              size,
              rank -> TwoLevels.allreduce(Algorithm.RING, rank, hosts, data, data, sum))
          .is(2 * up + around, around, 2L * (h - 1) * n, inside + 2L * (h - 1) + 1);
      new Cost(hosts, size, rank -> TwoLevels.allgather(Algorithm.RING, rank, hosts, one, data))
          .is(2 * up + around / 2, around / 2, (h - 1) * n, 1 + h - 1 + 1);
      new Cost(hosts, size, rank -> TwoLevels.allgather(Algorithm.BRUCK, rank, hosts, one, data))
          .is(2 * up + (long) h * log, (long) h * log, (h - 1) * n, 1 + log + 1);
    }
  }

  /** No algorithm without levels passes fewer bytes between hosts than the one that is taken. */
  @ParameterizedTest
  @ValueSource(strings = {"aabb", "abab", "aaaabbbb", "abababab", "aabbccdd", "aaab"})
  void fewerBytesPassBetweenHosts(String layout) {
    Hosts hosts = hosts(layout);
    int size = layout.length();
    AlgorithmTable usual = AlgorithmTable.usual();
    Combiner sum = new SchedulesTest.Sum(false);
    for (int length : new int[] {8, 2 << 10, 64 << 10, 512 << 10}) {
      MemorySegment data = MemorySegment.ofArray(new byte[size * length]);
      MemorySegment one = data.asSlice(0, length);
      long bcast =
          new Cost(hosts, size, rank -> Schedules.broadcast(rank, size, 0, one)).bytesBetween;
      Algorithm among = usual.choose(Mark.Kind.BCAST, hosts.count(), length);
      assertTrue(
          new Cost(hosts, size, rank -> TwoLevels.broadcast(among, rank, hosts, 0, one))
                  .bytesBetween
              <= bcast);
      long reduce =
          new Cost(hosts, size, rank -> Schedules.reduce(rank, size, 0, one, one, sum))
              .bytesBetween;
      assertTrue(
          new Cost(hosts, size, rank -> TwoLevels.reduce(rank, hosts, 0, one, one, sum))
                  .bytesBetween
              <= reduce);
      long allreduce =
          new Cost(hosts, size, rank -> Schedules.allreduce(rank, size, one, one, sum))
              .bytesBetween;
      Algorithm combining = usual.choose(Mark.Kind.ALLREDUCE, hosts.count(), length);
      assertTrue(
          new Cost(hosts, size, rank -> TwoLevels.allreduce(combining, rank, hosts, one, one, sum))
                  .bytesBetween
              <= allreduce,
          layout + ", " + length);
      long allgather =
          new Cost(hosts, size, rank -> Schedules.allgather(rank, size, one, data)).bytesBetween;
      Algorithm gathering =
          usual.choose(Mark.Kind.ALLGATHER, hosts.count(), data.byteSize() / hosts.count());
      assertTrue(
          new Cost(hosts, size, rank -> TwoLevels.allgather(gathering, rank, hosts, one, data))
                  .bytesBetween
              <= allgather,
          layout + ", " + length);
    }
  }
}
