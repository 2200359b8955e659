// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.ElementType;
import io.crosstie.ranks.RankEndedException;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Started by {@link RunIT} as ranks: all collective operations at once, again and again, while one
 * rank after the other is killed in the middle of them. Whoever is left checks that each operation
 * comes to what it has to come to, or to an error that names the dead, and goes on without it.
 */
final class RankDeaths {
  private static final int COUNT = 6_000;
  private static final int FULL_ROUNDS = 2;
  private static final int SURVIVORS = 2;
  private static final int SIGKILL = 9;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /** What an operation has to come to. */
  private interface Expected {
    long at(int index);
  }

  /** An operation that is under way. */
  private record Begun(String name, Request request, MemorySegment out, Expected expected) {
    void check() {
      for (int i = 0; i < out.byteSize() / Long.BYTES; i++) {
        long got = out.getAtIndex(LONG, i);
        if (got != expected.at(i)) {
          throw new AssertionError(
              name + ": element " + i + " is " + got + ", not " + expected.at(i));
        }
      }
    }
  }

  private RankDeaths() {}

  /** Of each death how many nanoseconds behind the begin of the operations it comes. */
  public static void main(String[] delaysNs) throws Throwable {
    MethodHandle kill =
        Linker.nativeLinker()
            .downcallHandle(
                Linker.nativeLinker().defaultLookup().find("kill").orElseThrow(),
                FunctionDescriptor.of(
                    ValueLayout.JAVA_INT, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
    int self = (int) ProcessHandle.current().pid();
    try (World world = World.join()) {
      Communicator all = world.communicator();
      int told = 0;
      for (int death = 0; all.size() > SURVIVORS; death++) {
        int victim = all.size() - 1;
        int errors = 0;
        for (int round = 0; errors == 0; round++) {
          List<Begun> begun = begin(all);
          if (all.rank() == victim && round == FULL_ROUNDS) {
            for (int other = 0; other < victim; other++) { // the round before is over for all
              world.communicator().recv(new int[1], other, victim);
            }
            long at = System.nanoTime() + Long.parseLong(delaysNs[death]);
            while (System.nanoTime() < at) {
              Thread.onSpinWait();
            }
            int unused = (int) kill.invokeExact(self, SIGKILL);
          }
          errors = end(begun, victim);
          if (errors > 0 && round < FULL_ROUNDS) {
            throw new AssertionError("told of a death before there was one");
          }
          if (all.rank() != victim && round == FULL_ROUNDS - 1) {
            world.communicator().send(new int[1], victim, victim);
          }
        }
        told += errors;
        all = without(world, victim);
      }
      if (end(begin(all), -1) > 0) {
        throw new AssertionError("nobody is dead of those who are left");
      }
      System.out.println(
          "rank "
              + world.rank()
              + " told of "
              + world.endedRanks()
              + (told > 0 ? ", is right" : ""));
      all.barrier();
    }
  }

  /** Those before that rank, by a number that rank 0 tells them. */
  private static Communicator without(World world, int victim) {
    int[] number = new int[1];
    if (world.rank() == 0) {
      number[0] = world.newNumber();
      for (int other = 1; other < victim; other++) {
        world.communicator().send(number, other, victim);
      }
    } else {
      world.communicator().recv(number, 0, victim);
    }
    return world.communicator(number[0], IntStream.range(0, victim).toArray());
  }

  /** How many have failed because of that rank. */
  private static int end(List<Begun> begun, int victim) {
    int errors = 0;
    for (Begun each : begun) {
      try {
        Object unused = each.request.await();
        each.check();
      } catch (RankEndedException e) {
        if (e.rank() != victim) {
          throw new AssertionError(each.name + " tells of another rank than " + victim, e);
        }
        errors++;
      }
    }
    return errors;
  }

  private static long value(int rank, long index) {
    return rank * 1_000_003L + index;
  }

  /** Of so many first ranks. */
  private static long sum(int ranks, long index) {
    return ranks * (ranks - 1) / 2 * 1_000_003L + ranks * index;
  }

  private static MemorySegment memory(int count, boolean isNative) {
    return isNative
        ? Arena.ofAuto().allocate((long) count * Long.BYTES, Long.BYTES)
        : MemorySegment.ofArray(new long[count]);
  }

  private static Data data(MemorySegment memory) {
    return Data.of(memory, ElementType.LONG);
  }

  /** Begins all there are; those with a root with each memory at it. */
  private static List<Begun> begin(Communicator all) {
    int rank = all.rank();
    int size = all.size();
    MemorySegment wide = memory(COUNT * size, true);
    for (int i = 0; i < COUNT * size; i++) {
      wide.setAtIndex(LONG, i, value(rank, i));
    }
    MemorySegment one = wide.asSlice(0, (long) COUNT * Long.BYTES);
    MemorySegment none = MemorySegment.ofArray(new long[0]);
    int root = size / 2;
    boolean isRoot = rank == root;
    int[] even = IntStream.generate(() -> COUNT).limit(size).toArray();
    List<Begun> begun = new ArrayList<>();
    begun.add(new Begun("barrier", all.ibarrier(), none, i -> 0));
    for (boolean isNative : new boolean[] {true, false}) {
      MemorySegment cast = memory(COUNT, isNative);
      if (isRoot) {
        MemorySegment unused = cast.copyFrom(one);
      }
      begun.add(new Begun("bcast", all.ibcast(data(cast), root), cast, i -> value(root, i)));
      MemorySegment out = memory(isRoot ? COUNT : 0, isNative);
      Request reduce = all.ireduce(data(one), data(out), Reduction.SUM, root);
      begun.add(new Begun("reduce", reduce, out, i -> sum(size, i)));
      MemorySegment allOut = memory(COUNT, isNative);
      Request allreduce = all.iallreduce(data(one), data(allOut), Reduction.SUM);
      begun.add(new Begun("allreduce", allreduce, allOut, i -> sum(size, i)));
      MemorySegment block = memory(COUNT, isNative);
      Request blocks = all.ireduceScatterBlock(data(wide), data(block), Reduction.SUM);
      Expected mine = i -> sum(size, (long) rank * COUNT + i);
      begun.add(new Begun("reduceScatterBlock", blocks, block, mine));
      MemorySegment part = memory(COUNT, isNative);
      Request parts = all.ireduceScatter(data(wide), data(part), even, Reduction.SUM);
      begun.add(new Begun("reduceScatter", parts, part, mine));
      MemorySegment scanned = memory(COUNT, isNative);
      Request scan = all.iscan(data(one), data(scanned), Reduction.SUM);
      begun.add(new Begun("scan", scan, scanned, i -> sum(rank + 1, i)));
      MemorySegment before = memory(COUNT, isNative);
      Request exscan = all.iexscan(data(one), data(before), Reduction.SUM);
      begun.add(new Begun("exscan", exscan, before, i -> rank == 0 ? 0 : sum(rank, i)));
      MemorySegment gathered = memory(isRoot ? COUNT * size : 0, isNative);
      Request gather = all.igather(data(one), data(gathered), root);
      Expected byRank = i -> value(i / COUNT, i % COUNT);
      begun.add(new Begun("gather", gather, gathered, byRank));
      MemorySegment scattered = memory(COUNT, isNative);
      Request scatter = all.iscatter(data(isRoot ? wide : none), data(scattered), root);
      Expected fromRoot = i -> value(root, (long) rank * COUNT + i);
      begun.add(new Begun("scatter", scatter, scattered, fromRoot));
      MemorySegment everybody = memory(COUNT * size, isNative);
      Request allgather = all.iallgather(data(one), data(everybody));
      begun.add(new Begun("allgather", allgather, everybody, byRank));
      MemorySegment listed = memory(COUNT * size, isNative);
      Request allgatherv = all.iallgatherv(data(one), data(listed).parts(even));
      begun.add(new Begun("allgatherv", allgatherv, listed, byRank));
      MemorySegment crossed = memory(COUNT * size, isNative);
      Request alltoall = all.ialltoall(data(wide), data(crossed));
      Expected ours = i -> value(i / COUNT, (long) rank * COUNT + i % COUNT);
      begun.add(new Begun("alltoall", alltoall, crossed, ours));
      MemorySegment other = memory(COUNT * size, isNative);
      Request alltoallv = all.ialltoallv(data(wide).parts(even), data(other).parts(even));
      begun.add(new Begun("alltoallv", alltoallv, other, ours));
    }
    return begun;
  }
}
