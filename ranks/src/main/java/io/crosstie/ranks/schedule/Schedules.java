// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;

/**
 * The schedules of collective operations. Each reads what it sends from the caller's memory, or
 * from copies that it makes when it is built.
 *
 * <p>Sources: dissemination barrier, Hensgen, Finkel and Manber 1988; binomial trees; recursive
 * doubling with a fold before and after it where the number of ranks is no power of two,
 * Rabenseifner and Träff 2004; reduction and allgather along a ring, Patarasuk and Yuan 2009;
 * pairwise exchange.
 */
public final class Schedules {
  /** From so many bytes on an allreduce goes along a ring, where the order does not matter. */
  static final long RING_BYTES = 64 << 10;

  private Schedules() {}

  /** Nobody goes on before all have come: dissemination. */
  public static Schedule barrier(int rank, int size) {
    Schedule schedule = new Schedule();
    for (int distance = 1; distance < size; distance *= 2) {
      schedule
          .sendNothing((rank + distance) % size)
          .receiveNothing((rank - distance + size) % size)
          .next();
    }
    return schedule;
  }

  /** What the root has goes to all: a binomial tree. */
  public static Schedule broadcast(int rank, int size, int root, MemorySegment data) {
    Schedule schedule = new Schedule();
    int relative = (rank - root + size) % size;
    int distance = 1;
    while (distance < size && (relative & distance) == 0) {
      distance *= 2;
    }
    if (relative != 0) {
      schedule.receive((relative - distance + root) % size, data).next();
    }
    for (int half = distance / 2; half > 0; half /= 2) {
      if (relative + half < size) {
        schedule.send((relative + half + root) % size, data);
      }
    }
    return schedule;
  }

  /**
   * All data combined comes to the root: a binomial tree, whose root is that one, or rank 0 where
   * the order of ranks matters.
   *
   * @param out of the root; elsewhere it is not touched
   */
  public static Schedule reduce(
      int rank, int size, int root, MemorySegment in, MemorySegment out, Combiner combiner) {
    Schedule schedule = new Schedule();
    int top = combiner.isCommutative() ? root : 0;
    int relative = (rank - top + size) % size;
    MemorySegment mine = rank == root && rank == top ? out : Schedule.memory(in.byteSize());
    MemorySegment unused = mine.copyFrom(in);
    for (int distance = 1; distance < size; distance *= 2) {
      if ((relative & distance) != 0) {
        schedule.send((relative - distance + top) % size, mine).next();
        break;
      }
      if (relative + distance < size) {
        MemorySegment higher = Schedule.memory(in.byteSize());
        schedule
            .receive((relative + distance + top) % size, higher)
            .local(Local.combine(combiner, mine, higher, true))
            .next();
      }
    }
    if (top != root) {
      if (rank == top) {
        schedule.send(root, mine);
      } else if (rank == root) {
        schedule.receive(top, out);
      }
    }
    return schedule;
  }

  /** All data combined comes to all. */
  public static Schedule allreduce(
      int rank, int size, MemorySegment in, MemorySegment out, Combiner combiner) {
    MemorySegment unused = out.copyFrom(in);
    long elements = in.byteSize() / combiner.elementBytes();
    return combiner.isCommutative() && in.byteSize() >= RING_BYTES && elements >= size && size > 2
        ? allreduceRing(rank, size, out, combiner)
        : allreduceDoubling(rank, size, out, combiner);
  }

  /** Recursive doubling: in rank order, and every rank comes to the very same result. */
  static Schedule allreduceDoubling(int rank, int size, MemorySegment data, Combiner combiner) {
    Schedule schedule = new Schedule();
    int power = Integer.highestOneBit(size);
    int folded = size - power;
    MemorySegment other = Schedule.memory(data.byteSize());
    boolean isPaired = rank < 2 * folded;
    if (isPaired && rank % 2 == 0) {
      schedule.send(rank + 1, data).next().receive(rank + 1, data);
      return schedule;
    }
    if (isPaired) {
      schedule.receive(rank - 1, other).local(Local.combine(combiner, other, data, false)).next();
    }
    int number = isPaired ? rank / 2 : rank - folded;
    for (int distance = 1; distance < power; distance *= 2) {
      int partner = number ^ distance;
      int at = partner < folded ? 2 * partner + 1 : partner + folded;
      schedule.send(at, data).receive(at, other);
      schedule.local(
          partner < number
              ? Local.combine(combiner, other, data, false)
              : Local.combine(combiner, data, other, true));
      schedule.next();
    }
    if (isPaired) {
      schedule.send(rank - 1, data);
    }
    return schedule;
  }

  /** Along a ring: each part is combined on its way round, and then goes round once more. */
  static Schedule allreduceRing(int rank, int size, MemorySegment data, Combiner combiner) {
    Schedule schedule = new Schedule();
    int next = (rank + 1) % size;
    int before = (rank - 1 + size) % size;
    for (int step = 0; step < size - 1; step++) {
      MemorySegment mine = part(data, (rank - step + size) % size, size, combiner.elementBytes());
      MemorySegment add =
          part(data, (rank - step - 1 + 2 * size) % size, size, combiner.elementBytes());
      MemorySegment came = Schedule.memory(add.byteSize());
      schedule
          .send(next, mine)
          .receive(before, came)
          .local(Local.combine(combiner, came, add, false))
          .next();
    }
    for (int step = 0; step < size - 1; step++) {
      schedule
          .send(next, part(data, (rank + 1 - step + size) % size, size, combiner.elementBytes()))
          .receive(before, part(data, (rank - step + size) % size, size, combiner.elementBytes()))
          .next();
    }
    return schedule;
  }

  /** One of as many parts as there are ranks, in whole elements. */
  private static MemorySegment part(MemorySegment data, int index, int size, int elementBytes) {
    long elements = data.byteSize() / elementBytes;
    long from = elements * index / size;
    long to = elements * (index + 1) / size;
    return data.asSlice(from * elementBytes, (to - from) * elementBytes);
  }

  /** What each rank has comes to the root, in rank order. */
  public static Schedule gather(int rank, int size, int root, MemorySegment in, MemorySegment out) {
    Schedule schedule = new Schedule();
    if (rank != root) {
      return schedule.send(root, in);
    }
    for (int other = 0; other < size; other++) {
      MemorySegment place = block(out, other, size);
      if (other == root) {
        schedule.local(Local.copy(in, place));
      } else {
        schedule.receive(other, place);
      }
    }
    return schedule;
  }

  /** Each rank gets its part of what the root has. */
  public static Schedule scatter(
      int rank, int size, int root, MemorySegment in, MemorySegment out) {
    Schedule schedule = new Schedule();
    if (rank != root) {
      return schedule.receive(root, out);
    }
    for (int other = 0; other < size; other++) {
      MemorySegment place = block(in, other, size);
      if (other == root) {
        schedule.local(Local.copy(place, out));
      } else {
        schedule.send(other, place);
      }
    }
    return schedule;
  }

  /** What each rank has comes to all, in rank order: along a ring. */
  public static Schedule allgather(int rank, int size, MemorySegment in, MemorySegment out) {
    Schedule schedule = new Schedule();
    MemorySegment unused = block(out, rank, size).copyFrom(in);
    for (int step = 0; step < size - 1; step++) {
      schedule
          .send((rank + 1) % size, block(out, (rank - step + size) % size, size))
          .receive((rank - 1 + size) % size, block(out, (rank - step - 1 + 2 * size) % size, size))
          .next();
    }
    return schedule;
  }

  /** Each rank has something for each: pairwise exchange. */
  public static Schedule alltoall(int rank, int size, MemorySegment in, MemorySegment out) {
    Schedule schedule = new Schedule();
    schedule.local(Local.copy(block(in, rank, size), block(out, rank, size))).next();
    for (int step = 1; step < size; step++) {
      int to = (rank + step) % size;
      int from = (rank - step + size) % size;
      schedule.send(to, block(in, to, size)).receive(from, block(out, from, size)).next();
    }
    return schedule;
  }

  private static MemorySegment block(MemorySegment data, int index, int size) {
    long bytes = data.byteSize() / size;
    return data.asSlice(index * bytes, bytes);
  }
}
