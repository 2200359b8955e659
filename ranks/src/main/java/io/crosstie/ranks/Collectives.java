// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.ranks.schedule.Algorithm;
import io.crosstie.ranks.schedule.AlgorithmTable;
import io.crosstie.ranks.schedule.Blocks;
import io.crosstie.ranks.schedule.Combiner;
import io.crosstie.ranks.schedule.Hosts;
import io.crosstie.ranks.schedule.Mark;
import io.crosstie.ranks.schedule.Mark.Kind;
import io.crosstie.ranks.schedule.Schedule;
import io.crosstie.ranks.schedule.Schedules;
import io.crosstie.ranks.schedule.TwoLevels;
import java.util.Arrays;
import java.util.List;

/** What one rank of a communicator does in each collective operation, once that is looked at. */
final class Collectives {
  private final int rank;
  private final int size;
  private final AlgorithmTable algorithms;
  private final Hosts hosts;

  Collectives(int rank, int size, AlgorithmTable algorithms, Hosts hosts) {
    this.rank = rank;
    this.size = size;
    this.algorithms = algorithms;
    this.hosts = hosts;
  }

  private Algorithm choose(Kind kind, long bytes) {
    return algorithms.choose(kind, size, bytes, hosts.areShared());
  }

  private Algorithm choose(Kind kind, long bytes, Combiner combiner) {
    boolean areShared = hosts.areShared() && TwoLevels.isFor(hosts, combiner);
    return algorithms.choose(kind, size, bytes, areShared);
  }

  private Algorithm amongLeaders(Kind kind, long bytes) {
    return algorithms.choose(kind, hosts.count(), bytes);
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
    Algorithm algorithm = choose(Kind.BARRIER, 0);
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? TwoLevels.barrier(rank, hosts)
            : Schedules.barrier(rank, size);
    return schedule.marked(Mark.of(Kind.BARRIER, algorithm));
  }

  Schedule bcast(Data data, int root) {
    Data memory = isRoot(root) ? data : data.writable();
    long bytes = data.byteSize();
    Algorithm algorithm = choose(Kind.BCAST, bytes);
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? TwoLevels.broadcast(
                amongLeaders(Kind.BCAST, bytes), rank, hosts, root, memory.segment())
            : Schedules.broadcast(algorithm, rank, size, root, memory.segment());
    return schedule.marked(Mark.of(Kind.BCAST, root, algorithm));
  }

  Schedule reduce(Data in, Data out, Operation operation, int root) {
    OperationCombiner combiner =
        isRoot(root) ? combiner(in, out, operation) : combiner(in, operation);
    Algorithm algorithm = choose(Kind.REDUCE, in.byteSize(), combiner);
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? TwoLevels.reduce(rank, hosts, root, in.segment(), out.segment(), combiner)
            : Schedules.reduce(rank, size, root, in.segment(), out.segment(), combiner);
    return schedule.marked(Mark.of(Kind.REDUCE, root, combiner, algorithm));
  }

  Schedule allreduce(Data in, Data out, Operation operation) {
    OperationCombiner combiner = combiner(in, out, operation);
    long bytes = in.byteSize();
    Algorithm algorithm = choose(Kind.ALLREDUCE, bytes, combiner);
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? TwoLevels.allreduce(
                amongLeaders(Kind.ALLREDUCE, bytes),
                rank,
                hosts,
                in.segment(),
                out.segment(),
                combiner)
            : Schedules.allreduce(algorithm, rank, size, in.segment(), out.segment(), combiner);
    return schedule.marked(Mark.of(Kind.ALLREDUCE, combiner, algorithm));
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
    Algorithm algorithm = choose(Kind.ALLGATHER, in.byteSize());
    Schedule schedule =
        algorithm == Algorithm.TWO_LEVEL
            ? TwoLevels.allgather(
                amongLeaders(Kind.ALLGATHER, out.byteSize() / hosts.count()),
                rank,
                hosts,
                in.segment(),
                out.segment())
            : Schedules.allgather(algorithm, rank, size, in.segment(), out.segment());
    return schedule.marked(Mark.of(Kind.ALLGATHER, algorithm));
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
