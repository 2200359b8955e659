// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The schedules of collective operations. Each reads what it sends from the caller's memory, or
 * from copies that it makes when it is built.
 *
 * <p>Sources: dissemination barrier, Hensgen, Finkel and Manber 1988; binomial trees; recursive
 * doubling with a fold before and after it where the number of ranks is no power of two,
 * Rabenseifner and Träff 2004; reduction and allgather along a ring, Patarasuk and Yuan 2009;
 * pairwise exchange; allgather by Bruck et al. 1997; broadcast by scatter and allgather, van de
 * Geijn 1994.
 */
public final class Schedules {
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

  /** Rank 0 goes on once all have come: a binomial tree. */
  static Schedule arrival(int rank, int size) {
    Schedule schedule = new Schedule();
    int parent = distanceToParent(rank, size);
    for (int distance = 1; distance < parent; distance *= 2) {
      if (rank + distance < size) {
        schedule.receiveNothing(rank + distance);
      }
    }
    return rank == 0 ? schedule : schedule.next().sendNothing(rank - parent);
  }

  /** What the root has goes to all. */
  public static Schedule broadcast(int rank, int size, int root, MemorySegment data) {
    Algorithm usual = AlgorithmTable.usual().choose(Mark.Kind.BCAST, size, data.byteSize());
    return broadcast(usual, rank, size, root, data);
  }

  /** The same by that algorithm. */
  public static Schedule broadcast(
      Algorithm algorithm, int rank, int size, int root, MemorySegment data) {
    return algorithm == Algorithm.SCATTER_ALLGATHER
        ? broadcastInParts(rank, size, root, data)
        : broadcastTree(rank, size, root, data);
  }

  /**
   * Each rank gets a part and what is below it in a binomial tree; then all parts go round. The
   * root has all of them: nothing comes to it, so its memory may be read-only.
   */
  private static Schedule broadcastInParts(int rank, int size, int root, MemorySegment data) {
    Schedule schedule = new Schedule();
    int relative = (rank - root + size) % size;
    int distance = distanceToParent(relative, size);
    if (relative != 0) {
      MemorySegment mine = span(data, relative, Math.min(relative + distance, size), size, 1);
      schedule.receive((relative - distance + root) % size, mine).next();
    }
    for (int half = distance / 2; half > 0; half /= 2) {
      if (relative + half < size) {
        int end = Math.min(relative + 2 * half, size);
        schedule.send((relative + half + root) % size, span(data, relative + half, end, size, 1));
      }
    }
    Blocks parts = Blocks.shares(data, size, 1);
    int next = (rank + 1) % size;
    int before = (rank - 1 + size) % size;
    for (int step = 0; step < size - 1; step++) {
      schedule.next();
      if (relative != size - 1) { // after it is the root
        schedule.send(next, parts.of((relative - step + size) % size));
      }
      if (relative != 0) {
        schedule.receive(before, parts.of((relative - step - 1 + size) % size));
      }
    }
    return schedule;
  }

  /** Some neighbouring shares of {@link Blocks#shares}. */
  private static MemorySegment span(
      MemorySegment data, int from, int to, int shares, int elementBytes) {
    long elements = data.byteSize() / elementBytes;
    long begin = elements * from / shares * elementBytes;
    return data.asSlice(begin, elements * to / shares * elementBytes - begin);
  }

  /** In a binomial tree; the root's is the first power of two that is no less than the size. */
  private static int distanceToParent(int relative, int size) {
    int distance = 1;
    while (distance < size && (relative & distance) == 0) {
      distance *= 2;
    }
    return distance;
  }

  private static Schedule broadcastTree(int rank, int size, int root, MemorySegment data) {
    Schedule schedule = new Schedule();
    int relative = (rank - root + size) % size;
    int distance = distanceToParent(relative, size);
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
    boolean isTop = combiner.isCommutative() || rank == 0;
    Schedule schedule = new Schedule();
    MemorySegment mine = rank == root && isTop ? out : schedule.memory(in.byteSize());
    return reduceTree(schedule, rank, size, root, mine, out, combiner).copyFirst(in, mine);
  }

  /**
   * The same.
   *
   * @param mine what this rank has once it is there; overwritten
   * @param out of the root; may be the same memory
   */
  static Schedule reduceTree(
      Schedule schedule,
      int rank,
      int size,
      int root,
      MemorySegment mine,
      MemorySegment out,
      Combiner combiner) {
    int top = combiner.isCommutative() ? root : 0;
    int relative = (rank - top + size) % size;
    for (int distance = 1; distance < size; distance *= 2) {
      if ((relative & distance) != 0) {
        schedule.send((relative - distance + top) % size, mine).next();
        break;
      }
      if (relative + distance < size) {
        MemorySegment higher = schedule.memory(mine.byteSize());
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
    Algorithm usual = AlgorithmTable.usual().choose(Mark.Kind.ALLREDUCE, size, in.byteSize());
    return allreduce(usual, rank, size, in, out, combiner);
  }

  /** The same by that algorithm; where it does not do, for order or few elements, by doubling. */
  public static Schedule allreduce(
      Algorithm algorithm,
      int rank,
      int size,
      MemorySegment in,
      MemorySegment out,
      Combiner combiner) {
    Algorithm by = possible(algorithm, size, out, combiner);
    boolean needsCopy =
        size == 1
            || Integer.bitCount(size) > 1
            || !combiner.isCommutative()
            || combiner.isForeign() // it may write to both
            || by == Algorithm.RING
            || in.asOverlappingSlice(out).isPresent();
    Schedule schedule = allreduceBy(by, rank, size, needsCopy ? null : in, out, combiner);
    return needsCopy ? schedule.copyFirst(in, out) : schedule;
  }

  private static Algorithm possible(
      Algorithm algorithm, int size, MemorySegment data, Combiner combiner) {
    boolean divides =
        combiner.isCommutative() && data.byteSize() / combiner.elementBytes() >= size && size > 1;
    return divides ? algorithm : Algorithm.DOUBLING;
  }

  /** The same of what each has once it is there. */
  static Schedule allreduceInPlace(
      Algorithm algorithm, int rank, int size, MemorySegment out, Combiner combiner) {
    Algorithm by = possible(algorithm, size, out, combiner);
    return allreduceBy(by, rank, size, null, out, combiner);
  }

  private static Schedule allreduceBy(
      Algorithm by,
      int rank,
      int size,
      @Nullable MemorySegment in,
      MemorySegment data,
      Combiner combiner) {
    return switch (by) {
      case RING -> allreduceRing(rank, size, data, combiner);
      case HALVING -> allreduceHalving(rank, size, in, data, combiner);
      default -> allreduceDoubling(rank, size, in, data, combiner);
    };
  }

  /**
   * Halves are exchanged and combined until each has one part; then parts, until all have all.
   *
   * @param in where what this rank has still lies, apart from {@code data}, if the number of ranks
   *     is a power of two; null where it lies in {@code data}
   */
  static Schedule allreduceHalving(
      int rank, int size, @Nullable MemorySegment in, MemorySegment data, Combiner combiner) {
    Schedule schedule = new Schedule();
    int bytes = combiner.elementBytes();
    int power = Integer.highestOneBit(size);
    int folded = size - power;
    boolean isPaired = rank < 2 * folded;
    if (isPaired && rank % 2 == 0) {
      return schedule.send(rank + 1, data).next().receive(rank + 1, data);
    }
    if (isPaired) {
      MemorySegment other = schedule.memory(data.byteSize());
      schedule.receive(rank - 1, other).local(Local.combine(combiner, other, data, false)).next();
    }
    int number = isPaired ? rank / 2 : rank - folded;
    int low = 0;
    MemorySegment apart = in;
    for (int distance = power / 2; distance > 0; distance /= 2) {
      int at = unfolded(number ^ distance, folded);
      boolean isLower = (number & distance) == 0;
      int kept = isLower ? low : low + distance;
      int given = isLower ? low + distance : low;
      MemorySegment from = apart == null ? data : apart;
      MemorySegment keep = span(from, kept, kept + distance, power, bytes);
      schedule.send(at, span(from, given, given + distance, power, bytes));
      if (apart == null) {
        MemorySegment came = schedule.memory(keep.byteSize());
        schedule
            .receive(at, came)
            .local(
                isLower
                    ? Local.combine(combiner, keep, came, true)
                    : Local.combine(combiner, came, keep, false));
      } else {
        MemorySegment came = span(data, kept, kept + distance, power, bytes);
        schedule.receive(at, came).local(Local.combine(combiner, keep, came, false));
      }
      schedule.next();
      low = kept;
      apart = null;
    }
    for (int distance = 1; distance < power; distance *= 2) {
      int at = unfolded(number ^ distance, folded);
      int mine = number & -distance;
      int its = mine ^ distance;
      schedule
          .send(at, span(data, mine, mine + distance, power, bytes))
          .receive(at, span(data, its, its + distance, power, bytes))
          .next();
    }
    return isPaired ? schedule.send(rank - 1, data) : schedule;
  }

  /** The rank of a number among those that are left when some have been folded. */
  private static int unfolded(int number, int folded) {
    return number < folded ? 2 * number + 1 : number + folded;
  }

  /**
   * Recursive doubling: in rank order where what a rank has lies in {@code data}, and every rank
   * comes to the very same result, but for what Java says nothing of: which NaN it is.
   *
   * @param in where what this rank has still lies, apart from {@code data}, if the number of ranks
   *     is a power of two and order does not matter; null where it lies in {@code data}
   */
  static Schedule allreduceDoubling(
      int rank, int size, @Nullable MemorySegment in, MemorySegment data, Combiner combiner) {
    Schedule schedule = new Schedule();
    int power = Integer.highestOneBit(size);
    int folded = size - power;
    boolean nothingElse = size == 1 || (in != null && power == 2); // is received
    MemorySegment other = nothingElse ? data : schedule.memory(data.byteSize());
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
      int at = unfolded(partner, folded);
      if (in != null && distance == 1) {
        schedule.send(at, in).receive(at, data).local(Local.combine(combiner, in, data, false));
      } else {
        schedule
            .send(at, data)
            .receive(at, other)
            .local(
                partner < number
                    ? Local.combine(combiner, other, data, false)
                    : Local.combine(combiner, data, other, true));
      }
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
    Blocks parts = Blocks.shares(data, size, combiner.elementBytes());
    return round(
        reduceAlongRing(schedule, rank, size, parts, parts.of(rank), combiner), rank, size, parts);
  }

  /** What each rank has comes to the root, in rank order. */
  public static Schedule gather(int rank, int size, int root, MemorySegment in, MemorySegment out) {
    return gather(rank, size, root, in, Blocks.even(out, size));
  }

  /**
   * The same for parts of any length.
   *
   * @param out of the root; elsewhere it is not asked
   */
  public static Schedule gather(int rank, int size, int root, MemorySegment in, Blocks out) {
    Schedule schedule = new Schedule();
    if (rank != root) {
      return schedule.send(root, in);
    }
    for (int other = 0; other < size; other++) {
      if (other == root) {
        schedule.local(Local.copy(in, out.of(other)));
      } else {
        schedule.receive(other, out.of(other));
      }
    }
    return schedule;
  }

  /** Each rank gets its part of what the root has. */
  public static Schedule scatter(
      int rank, int size, int root, MemorySegment in, MemorySegment out) {
    return scatter(rank, size, root, Blocks.even(in, size), out);
  }

  /**
   * The same for parts of any length.
   *
   * @param in of the root; elsewhere it is not asked
   */
  public static Schedule scatter(int rank, int size, int root, Blocks in, MemorySegment out) {
    Schedule schedule = new Schedule();
    if (rank != root) {
      return schedule.receive(root, out);
    }
    for (int other = 0; other < size; other++) {
      if (other == root) {
        schedule.local(Local.copy(in.of(other), out));
      } else {
        schedule.send(other, in.of(other));
      }
    }
    return schedule;
  }

  /** What each rank has comes to all, in rank order. */
  public static Schedule allgather(int rank, int size, MemorySegment in, MemorySegment out) {
    Algorithm usual = AlgorithmTable.usual().choose(Mark.Kind.ALLGATHER, size, in.byteSize());
    return allgather(usual, rank, size, in, out);
  }

  /** The same by that algorithm. */
  public static Schedule allgather(
      Algorithm algorithm, int rank, int size, MemorySegment in, MemorySegment out) {
    return algorithm == Algorithm.BRUCK
        ? allgatherBruck(rank, size, in, out)
        : allgather(rank, size, in, Blocks.even(out, size));
  }

  /** From each step to the next twice as many, of the ranks that follow this one. */
  private static Schedule allgatherBruck(int rank, int size, MemorySegment in, MemorySegment out) {
    Schedule schedule = new Schedule();
    long block = in.byteSize();
    MemorySegment all = schedule.memory(block * size);
    schedule.local(Local.copy(in, all.asSlice(0, block))).next();
    for (int have = 1; have < size; have *= 2) {
      long bytes = Math.min(have, size - have) * block;
      schedule
          .send((rank - have + size) % size, all.asSlice(0, bytes))
          .receive((rank + have) % size, all.asSlice(have * block, bytes))
          .next();
    }
    long after = (size - rank) * block;
    return schedule
        .local(Local.copy(all.asSlice(0, after), out.asSlice(rank * block, after)))
        .local(Local.copy(all.asSlice(after), out.asSlice(0, rank * block)));
  }

  /** The same for parts of any length, which are the same in all ranks: along a ring. */
  public static Schedule allgather(int rank, int size, MemorySegment in, Blocks out) {
    return round(new Schedule(), rank, size, out).copyFirst(in, out.of(rank));
  }

  /** Each has its own part; all parts go round. */
  static Schedule round(Schedule schedule, int rank, int size, Blocks parts) {
    int next = (rank + 1) % size;
    int before = (rank - 1 + size) % size;
    for (int step = 0; step < size - 1; step++) {
      schedule
          .send(next, parts.of((rank - step + size) % size))
          .receive(before, parts.of((rank - step - 1 + size) % size))
          .next();
    }
    return schedule;
  }

  /** Each rank has something for each: pairwise exchange. */
  public static Schedule alltoall(int rank, int size, MemorySegment in, MemorySegment out) {
    return alltoall(rank, size, Blocks.even(in, size), Blocks.even(out, size));
  }

  /** The same for parts of any length, also of none. */
  public static Schedule alltoall(int rank, int size, Blocks in, Blocks out) {
    Schedule schedule = new Schedule();
    schedule.local(Local.copy(in.of(rank), out.of(rank))).next();
    for (int step = 1; step < size; step++) {
      int to = (rank + step) % size;
      int from = (rank - step + size) % size;
      schedule.send(to, in.of(to)).receive(from, out.of(from)).next();
    }
    return schedule;
  }

  /**
   * What ranks have for some others each, which know of it.
   *
   * @param destinations one for each of the messages; a rank may be there more than once
   * @param sources of messages from one rank the first is that which was named first there
   */
  public static Schedule exchange(int[] destinations, Blocks in, int[] sources, Blocks out) {
    Schedule schedule = new Schedule();
    for (int i = 0; i < sources.length; i++) {
      schedule.receive(sources[i], out.of(i));
    }
    for (int i = 0; i < destinations.length; i++) {
      schedule.send(destinations[i], in.of(i));
    }
    return schedule;
  }

  /**
   * All data combined, and each rank gets its part of it: along a ring, where each part is combined
   * on its way to its rank; where the order of ranks matters each gets what all have of its part.
   *
   * @param in all parts, the same in all ranks; only read
   * @param out for this rank's part
   */
  public static Schedule reduceScatter(
      int rank, int size, Blocks in, MemorySegment out, Combiner combiner) {
    Schedule schedule =
        combiner.isCommutative()
            ? reduceAlongRing(new Schedule(), rank, size, in, out, combiner)
            : reduceInOrder(rank, size, in, out, combiner);
    return schedule.copyFirst(in.of(rank), out);
  }

  /** The parts go round and are combined; the last step, with what is there, is into this one's. */
  private static Schedule reduceAlongRing(
      Schedule schedule, int rank, int size, Blocks in, MemorySegment out, Combiner combiner) {
    int next = (rank + 1) % size;
    int before = (rank - 1 + size) % size;
    MemorySegment mine = in.of(before);
    for (int step = 1; step < size; step++) {
      MemorySegment add = in.of((rank - step - 1 + 2 * size) % size);
      MemorySegment came = schedule.memory(add.byteSize());
      schedule.send(next, mine).receive(before, came);
      schedule.local(
          step < size - 1
              ? Local.combine(combiner, add, came, false)
              : Local.combine(combiner, came, out, false));
      schedule.next();
      mine = came;
    }
    return schedule;
  }

  private static Schedule reduceInOrder(
      int rank, int size, Blocks in, MemorySegment out, Combiner combiner) {
    Schedule schedule = new Schedule();
    MemorySegment[] parts = new MemorySegment[size];
    for (int step = 1; step < size; step++) {
      int to = (rank + step) % size;
      int from = (rank - step + size) % size;
      parts[from] = schedule.memory(out.byteSize());
      schedule.send(to, in.of(to)).receive(from, parts[from]).next();
    }
    parts[rank] = out;
    for (int left = size - 2; left >= 0; left--) {
      schedule.local(Local.combine(combiner, parts[left], parts[left + 1], true));
    }
    if (rank != 0) {
      schedule.local(Local.copy(parts[0], out));
    }
    return schedule;
  }

  /**
   * Each rank gets what those up to it have, combined: recursive doubling.
   *
   * @param inclusive whether its own belongs to it; if not, out of rank 0 is not touched
   */
  public static Schedule scan(
      int rank,
      int size,
      MemorySegment in,
      MemorySegment out,
      Combiner combiner,
      boolean inclusive) {
    Schedule schedule = new Schedule();
    MemorySegment group = schedule.memory(in.byteSize());
    MemorySegment came = schedule.memory(in.byteSize());
    for (int distance = 1; distance < size; distance *= 2) {
      if (rank + distance < size) {
        schedule.send(rank + distance, group);
      }
      if (rank >= distance) {
        schedule
            .receive(rank - distance, came)
            .local(
                !inclusive && distance == 1
                    ? Local.copy(came, out)
                    : Local.combine(combiner, came, out, false));
        if (rank + 2 * distance < size) {
          schedule.local(Local.combine(combiner, came, group, false));
        }
      }
      schedule.next();
    }
    return inclusive
        ? schedule.copyFirst(in, out).copyFirst(in, group)
        : schedule.copyFirst(in, group);
  }
}
