// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;

/**
 * The schedules of collective operations where ranks share hosts: inside each host to one of its
 * ranks, its leader, and back, by binomial trees; between hosts, among the leaders alone, as {@link
 * Schedules} has it. So what passes between hosts is that of one rank of each.
 *
 * <p>Source: Karonis, de Supinski, Foster, Gropp, Lusk and Bresnahan 2000.
 */
public final class TwoLevels {
  private final Schedule schedule = new Schedule();
  private final Hosts hosts;
  private final int host;
  private final int[] inside;
  private final int[] leaders;

  /** Its number inside its host, and that of the leader there. */
  private final int at;

  private final int leaderAt;

  /** One of the leaders is that rank. */
  private TwoLevels(int rank, Hosts hosts, int one) {
    this.hosts = hosts;
    this.host = hosts.host(rank);
    this.inside = hosts.ranks(host);
    this.leaders = hosts.leaders(one);
    this.at = place(inside, rank);
    this.leaderAt = place(inside, leaders[host]);
  }

  private static int place(int[] ranks, int rank) {
    int place = 0;
    while (ranks[place] != rank) {
      place++;
    }
    return place;
  }

  /** Whether reductions by that operation keep what it needs of the order of ranks. */
  public static boolean isFor(Hosts hosts, Combiner combiner) {
    return combiner.isCommutative() || hosts.isInOrder();
  }

  private boolean isLeader() {
    return at == leaderAt;
  }

  private void insideHost(Schedule part) {
    Schedule unused = schedule.append(part, inside);
  }

  private void betweenHosts(Schedule part) {
    Schedule unused = schedule.append(part, leaders);
  }

  private Schedule fromLeader(MemorySegment data) {
    insideHost(Schedules.broadcast(Algorithm.BINOMIAL, at, inside.length, leaderAt, data));
    return schedule;
  }

  /** {@link Schedules#barrier}. */
  public static Schedule barrier(int rank, Hosts hosts) {
    TwoLevels two = new TwoLevels(rank, hosts, 0);
    two.insideHost(Schedules.arrival(two.at, two.inside.length));
    if (two.isLeader()) {
      two.betweenHosts(Schedules.barrier(two.host, hosts.count()));
    }
    return two.fromLeader(Schedule.NOTHING);
  }

  /**
   * {@link Schedules#broadcast}.
   *
   * @param among what leaders do
   */
  public static Schedule broadcast(
      Algorithm among, int rank, Hosts hosts, int root, MemorySegment data) {
    TwoLevels two = new TwoLevels(rank, hosts, root);
    if (two.isLeader()) {
      two.betweenHosts(Schedules.broadcast(among, two.host, hosts.count(), hosts.host(root), data));
    }
    return two.fromLeader(data);
  }

  /**
   * {@link Schedules#reduce}; where the order of ranks matters the lowest ranks of hosts lead, and
   * the last step is inside the root's.
   */
  public static Schedule reduce(
      int rank, Hosts hosts, int root, MemorySegment in, MemorySegment out, Combiner combiner) {
    TwoLevels two = new TwoLevels(rank, hosts, combiner.isCommutative() ? root : 0);
    MemorySegment mine = rank == root || !two.isLeader() ? out : two.schedule.memory(in.byteSize());
    two.insideHost(Schedules.reduce(two.at, two.inside.length, two.leaderAt, in, mine, combiner));
    if (two.isLeader()) {
      two.betweenHosts(
          Schedules.reduceTree(
              new Schedule(), two.host, hosts.count(), hosts.host(root), mine, mine, combiner));
    }
    int last = two.leaders[hosts.host(root)];
    if (last != root) {
      two.schedule.next();
      if (rank == last) {
        two.schedule.send(root, mine);
      } else if (rank == root) {
        two.schedule.receive(last, out);
      }
    }
    return two.schedule;
  }

  /**
   * {@link Schedules#allreduce}.
   *
   * @param among what leaders do
   */
  public static Schedule allreduce(
      Algorithm among,
      int rank,
      Hosts hosts,
      MemorySegment in,
      MemorySegment out,
      Combiner combiner) {
    TwoLevels two = new TwoLevels(rank, hosts, 0);
    two.insideHost(Schedules.reduce(two.at, two.inside.length, two.leaderAt, in, out, combiner));
    if (two.isLeader()) {
      two.betweenHosts(Schedules.allreduceInPlace(among, two.host, hosts.count(), out, combiner));
    }
    return two.fromLeader(out);
  }

  /**
   * {@link Schedules#allgather}.
   *
   * @param among what leaders do; where their hosts have not the same number of ranks, along a ring
   */
  public static Schedule allgather(
      Algorithm among, int rank, Hosts hosts, MemorySegment in, MemorySegment out) {
    TwoLevels two = new TwoLevels(rank, hosts, 0);
    long part = in.byteSize();
    MemorySegment all = // in the order of hosts
        hosts.isInOrder() || !two.isLeader() ? out : two.schedule.memory(out.byteSize());
    long first = hosts.before(two.host);
    two.insideHost(
        Schedules.gather(
            two.at,
            two.inside.length,
            two.leaderAt,
            in,
            place -> all.asSlice((first + place) * part, part)));
    if (two.isLeader()) {
      Blocks blocks = of -> all.asSlice(hosts.before(of) * part, hosts.ranks(of).length * part);
      two.betweenHosts(
          among == Algorithm.BRUCK && hosts.areEven()
              ? Schedules.allgather(among, two.host, hosts.count(), blocks.of(two.host), all)
              : Schedules.round(new Schedule(), two.host, hosts.count(), blocks));
      if (!hosts.isInOrder()) {
        two.sort(all, out, part);
      }
    }
    return two.fromLeader(out);
  }

  /** Parts in the order of hosts come into that of ranks. */
  private void sort(MemorySegment from, MemorySegment to, long part) {
    schedule.next();
    long place = 0;
    for (int of = 0; of < hosts.count(); of++) {
      int[] ranks = hosts.ranks(of);
      int begin = 0;
      for (int end = 1; end <= ranks.length; end++) {
        if (end == ranks.length || ranks[end] != ranks[end - 1] + 1) {
          long bytes = (end - begin) * part;
          schedule.local(
              Local.copy(from.asSlice(place, bytes), to.asSlice(ranks[begin] * part, bytes)));
          place += bytes;
          begin = end;
        }
      }
    }
  }
}
