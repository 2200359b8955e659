// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.schedule.AlgorithmTable;
import io.crosstie.ranks.schedule.Blocks;
import io.crosstie.ranks.schedule.Hosts;
import io.crosstie.ranks.schedule.Levels;
import io.crosstie.ranks.schedule.Mark;
import io.crosstie.ranks.schedule.Mark.Kind;
import io.crosstie.ranks.schedule.Schedule;
import io.crosstie.ranks.schedule.Schedules;
import io.crosstie.ranks.schedule.TwoLevels;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;

/** What one rank of a communicator does in each collective operation, once that is looked at. */
final class Collectives {
  private final int rank;
  private final int size;
  private final Hosts hosts;
  private final Levels levels;

  Collectives(int rank, int size, AlgorithmTable algorithms, Hosts hosts) {
    this.rank = rank;
    this.size = size;
    this.hosts = hosts;
    this.levels = new Levels(algorithms, size, hosts);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalArgumentException(what);
    }
  }

  private boolean isRoot(int root) {
    check(root >= 0 && root < size, "root " + root + " is none of 0 to " + (size - 1));
    return rank == root;
  }

  private static OperationCombiner combiner(Data in, Operation operation) {
    return new OperationCombiner(operation, in);
  }

  private static OperationCombiner combiner(Data in, Data out, Operation operation) {
    check(
        in.type() == out.writable().type() && in.count() == out.count(),
        "a reduction of " + in + " cannot give " + out);
    return combiner(in, operation);
  }

  private void checkAll(Data one, Data all) {
    check(all.byteSize() == one.byteSize() * size, all + " are not " + size + " times " + one);
  }

  private void checkParts(List<Data> parts) {
    check(
        parts.size() == size,
        parts.size() + " parts are not one for each of the " + size + " ranks");
  }

  private static void checkPart(Data one, Data part) {
    check(
        one.byteSize() == part.byteSize(),
        one + " and the part for this rank, " + part + ", differ");
  }

  private static List<Data> writable(List<Data> parts) {
    parts.forEach(Data::writable);
    return parts;
  }

  private static Blocks blocks(List<Data> parts) {
    return index -> parts.get(index).segment();
  }

  Schedule barrier() {
    return levels.choose(
        Kind.BARRIER,
        0,
        unused -> Schedules.barrier(rank, size),
        unused -> TwoLevels.barrier(rank, hosts));
  }

  Schedule bcast(Data data, int root) {
    MemorySegment memory = (isRoot(root) ? data : data.writable()).segment();
    return levels.choose(
        Kind.BCAST,
        memory.byteSize(),
        by -> Schedules.broadcast(by, rank, size, root, memory),
        by -> TwoLevels.broadcast(by, rank, hosts, root, memory),
        root);
  }

  Schedule reduce(Data in, Data out, Operation operation, int root) {
    OperationCombiner combiner =
        isRoot(root) ? combiner(in, out, operation) : combiner(in, operation);
    MemorySegment from = in.segment();
    MemorySegment to = out.segment();
    return levels.chooseReduction(
        Kind.REDUCE,
        from.byteSize(),
        combiner,
        unused -> Schedules.reduce(rank, size, root, from, to, combiner),
        unused -> TwoLevels.reduce(rank, hosts, root, from, to, combiner),
        root,
        combiner);
  }

  Schedule allreduce(Data in, Data out, Operation operation) {
    OperationCombiner combiner = combiner(in, out, operation);
    MemorySegment from = in.segment();
    MemorySegment to = out.segment();
    return levels.chooseReduction(
        Kind.ALLREDUCE,
        from.byteSize(),
        combiner,
        by -> Schedules.allreduce(by, rank, size, from, to, combiner),
        by -> TwoLevels.allreduce(by, rank, hosts, from, to, combiner),
        combiner);
  }

  Schedule reduceScatter(Data in, Data out, int[] counts, Operation operation) {
    check(
        counts.length == size,
        counts.length + " counts are not one for each of the " + size + " ranks");
    List<Data> parts = in.parts(counts);
    check(
        Arrays.stream(counts).asLongStream().sum() == in.count(),
        "the counts of a reduction are not " + in + " together");
    OperationCombiner combiner = combiner(parts.get(rank), out, operation);
    parts.forEach(combiner::check);
    return Schedules.reduceScatter(rank, size, blocks(parts), out.segment(), combiner)
        .marked(Mark.of(Kind.REDUCE_SCATTER, combiner));
  }

  Schedule reduceScatterBlock(Data in, Data out, Operation operation) {
    checkAll(out, in);
    OperationCombiner combiner = combiner(in.part(0, out.count()), out, operation);
    return Schedules.reduceScatter(
            rank, size, Blocks.even(in.segment(), size), out.segment(), combiner)
        .marked(Mark.of(Kind.REDUCE_SCATTER, combiner));
  }

  Schedule scan(Data in, Data out, Operation operation, boolean inclusive) {
    OperationCombiner combiner = combiner(in, out, operation);
    return Schedules.scan(rank, size, in.segment(), out.segment(), combiner, inclusive)
        .marked(Mark.of(inclusive ? Kind.SCAN : Kind.EXSCAN, combiner));
  }

  Schedule gather(Data in, Data out, int root) {
    if (isRoot(root)) {
      checkAll(in, out.writable());
    }
    return Schedules.gather(rank, size, root, in.segment(), out.segment())
        .marked(Mark.of(Kind.GATHER, root));
  }

  Schedule gatherv(Data in, List<Data> out, int root) {
    if (isRoot(root)) {
      checkParts(writable(out));
      checkPart(in, out.get(rank));
    }
    return Schedules.gather(rank, size, root, in.segment(), blocks(out))
        .marked(Mark.of(Kind.GATHER, root));
  }

  Schedule scatter(Data in, Data out, int root) {
    if (isRoot(root)) {
      checkAll(out, in);
    }
    return Schedules.scatter(rank, size, root, in.segment(), out.writable().segment())
        .marked(Mark.of(Kind.SCATTER, root));
  }

  Schedule scatterv(List<Data> in, Data out, int root) {
    if (isRoot(root)) {
      checkParts(in);
      checkPart(out, in.get(rank));
    }
    return Schedules.scatter(rank, size, root, blocks(in), out.writable().segment())
        .marked(Mark.of(Kind.SCATTER, root));
  }

  Schedule allgather(Data in, Data out) {
    checkAll(in, out.writable());
    MemorySegment from = in.segment();
    MemorySegment to = out.segment();
    return levels.choose(
        Kind.ALLGATHER,
        from.byteSize(),
        by -> Schedules.allgather(by, rank, size, from, to),
        by -> TwoLevels.allgather(by, rank, hosts, from, to));
  }

  Schedule allgatherv(Data in, List<Data> out) {
    checkParts(writable(out));
    checkPart(in, out.get(rank));
    return Schedules.allgather(rank, size, in.segment(), blocks(out))
        .marked(Mark.of(Kind.ALLGATHER));
  }

  Schedule alltoall(Data in, Data out) {
    check(
        in.byteSize() == out.writable().byteSize() && in.byteSize() % size == 0,
        in + " and " + out + " are not " + size + " parts each");
    return Schedules.alltoall(rank, size, in.segment(), out.segment())
        .marked(Mark.of(Kind.ALLTOALL));
  }

  Schedule alltoallv(List<Data> in, List<Data> out) {
    checkParts(in);
    checkParts(writable(out));
    checkPart(in.get(rank), out.get(rank));
    return Schedules.alltoall(rank, size, blocks(in), blocks(out)).marked(Mark.of(Kind.ALLTOALL));
  }

  Schedule neighborAlltoallv(int[] destinations, List<Data> in, int[] sources, List<Data> out) {
    checkNeighbors(destinations, in, "destinations");
    checkNeighbors(sources, writable(out), "sources");
    return Schedules.exchange(destinations.clone(), blocks(in), sources.clone(), blocks(out))
        .marked(Mark.of(Kind.NEIGHBOR_ALLTOALL));
  }

  private void checkNeighbors(int[] ranks, List<Data> parts, String what) {
    check(
        ranks.length == parts.size(),
        ranks.length + " " + what + " and " + parts.size() + " parts");
    for (int each : ranks) {
      check(each >= 0 && each < size, each + " of the " + what + " is none of 0 to " + (size - 1));
    }
  }
}
