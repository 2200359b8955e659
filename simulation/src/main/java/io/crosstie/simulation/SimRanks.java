// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.ranks.p2p.Envelope;
import io.crosstie.ranks.p2p.Failure;
import io.crosstie.ranks.p2p.Limits;
import io.crosstie.ranks.p2p.Messenger;
import io.crosstie.ranks.p2p.ReceiveOp;
import io.crosstie.ranks.p2p.SendOp;
import io.crosstie.ranks.p2p.Wire;
import io.crosstie.ranks.schedule.Algorithm;
import io.crosstie.ranks.schedule.AlgorithmTable;
import io.crosstie.ranks.schedule.Blocks;
import io.crosstie.ranks.schedule.Combiner;
import io.crosstie.ranks.schedule.Execution;
import io.crosstie.ranks.schedule.Executions;
import io.crosstie.ranks.schedule.Hosts;
import io.crosstie.ranks.schedule.Mark;
import io.crosstie.ranks.schedule.Schedule;
import io.crosstie.ranks.schedule.Schedules;
import io.crosstie.ranks.schedule.TwoLevels;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Put;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A rank on top of a simulated process: the shipped matching, rendezvous and collective operations
 * over the connections of its endpoint, with hardly any room for what nobody has received. In the
 * safety phase it sends and posts receives at random, and takes part in collective operations, some
 * at a time; in the liveness phase it cancels what is posted and receives what is left, first of
 * all what lies behind more than there is room for. Where a rank dies the others hear of it some
 * time later, or from what comes in its place; what needs it ends with an error, all else is as
 * ever.
 */
final class SimRanks {
  private static final int TAGS = 4;
  private static final int POLL_LIMIT = 16;
  private static final long RETRY_NS = 200_000;
  private static final long OTHERS_NS = 5_000_000;
  private static final long MOST_UNTOLD_NS = 200_000_000;
  private static final int KINDS = 7;

  /** Of all, in which each sends one more than there is room for. */
  private static final int CROWDED = 6;

  private static final int MORE_THAN_ROOM = 9;
  private static final long[] LENGTHS = {0, 1, 8, 40, 100, 100, 3_000, 20_000, 150_000};

  /** Adds 64-bit numbers, by the application if it is foreign; throws if it fails. */
  private record Sum(boolean isForeign, boolean fails) implements Combiner {
    @Override
    public int elementBytes() {
      return Long.BYTES;
    }

    @Override
    public boolean isCommutative() {
      return !isForeign;
    }

    @Override
    public void combine(MemorySegment left, MemorySegment right) {
      if (fails) {
        throw new IllegalStateException("planned");
      }
      for (long at = 0; at < right.byteSize(); at += Long.BYTES) {
        long sum = left.get(JAVA_LONG_UNALIGNED, at) + right.get(JAVA_LONG_UNALIGNED, at);
        right.set(JAVA_LONG_UNALIGNED, at, sum);
      }
    }
  }

  /** Who takes part in a collective operation, and as what. */
  private record Group(int context, int rank, List<Integer> members, Hosts hosts) {
    int size() {
      return members.size();
    }
  }

  /** What a collective operation has to come to. */
  private static final class Collective {
    private final int number;
    private final boolean mayFail;
    private final MemorySegment result;
    private final long[] expected;

    Collective(int number, boolean mayFail, MemorySegment result, long[] expected) {
      this.number = number;
      this.mayFail = mayFail;
      this.result = result;
      this.expected = expected;
    }
  }

  private final Simulation simulation;
  private final SimProcess process;
  private final RankBook book;
  private final int self;
  private final int size;
  private final int mortal;
  private final boolean isGhost;
  private final long untoldNs;
  private final Group all;
  private final @Nullable Group living;
  private final SplittableRandom random;
  private final Arena arena = Arena.ofShared();
  private final Messenger messenger;
  private final Executions executions;
  private final Map<Integer, Connection> connections = new HashMap<>();
  private final Set<Connection> seen = new HashSet<>();
  private final Map<RankBook.Taken, ReceiveOp> posted = new HashMap<>();
  private final Pieces pieces = new Pieces();
  private final long lastNs;
  private @Nullable Endpoint endpoint;
  private int sendsLeft;
  private int receivesLeft;
  private int collectivesLeft;
  private int collectives;
  private int running;
  private long nextNs;
  private boolean drains;
  private boolean receivesAll;
  private RankBook.@Nullable Taken wanted;
  private int work;

  /**
   * Of a process.
   *
   * @param isGhost whether it has come in the place of a rank that has died
   */
  SimRanks(Simulation simulation, SimProcess process, RankBook book, boolean isGhost) {
    this.isGhost = isGhost;
    this.mortal = book.mortal();
    this.simulation = simulation;
    this.process = process;
    this.book = book;
    this.self = process.index;
    this.size = simulation.scenario().nodes();
    this.lastNs = simulation.scenario().safetyNs();
    SplittableRandom all = new SplittableRandom(Bytes.mix(simulation.scenario().seed() ^ 0x4a4b));
    Limits limits =
        new Limits(
            all.nextInt(3) == 0 ? 0 : all.nextInt(5_000),
            2 + all.nextInt(6),
            all.nextInt(3) * 2_000L);
    this.collectivesLeft = all.nextInt(12);
    this.random = new SplittableRandom(Bytes.mix(simulation.scenario().seed() * 31 + self));
    this.untoldNs =
        Long.remainderUnsigned(
            Bytes.mix(simulation.scenario().seed() * 31 + self + 7), MOST_UNTOLD_NS);
    this.messenger = new Messenger(self, size, limits, new Way());
    this.executions = new Executions(messenger);
    BitSet members = new BitSet();
    members.set(0, size);
    messenger.openContext(0, members);
    messenger.openContext(2, members);
    messenger.openContext(CROWDED, members);
    List<Integer> everybody = members.stream().boxed().toList();
    List<Integer> others = everybody.stream().filter(rank -> rank != mortal).toList();
    Hosts hosts = hosts(everybody);
    this.all = new Group(1, self, everybody, hosts);
    this.living =
        mortal == RankBook.ANY || mortal == self
            ? null
            : new Group(5, others.indexOf(self), others, hosts(others));
    members.clear(mortal == RankBook.ANY ? size : mortal);
    messenger.openContext(4, members);
    this.sendsLeft = 20 + random.nextInt(60);
    this.receivesLeft = 20 + random.nextInt(60);
  }

  /** Those of some nodes, the same in all of them: each has one of a few. */
  private Hosts hosts(List<Integer> nodes) {
    long seed = simulation.scenario().seed();
    int most = 1 + (int) Long.remainderUnsigned(Bytes.mix(seed ^ 0x686f7374), size);
    return Hosts.of(
        nodes.stream()
            .mapToInt(node -> (int) Long.remainderUnsigned(Bytes.mix(seed * 31 - node), most))
            .toArray());
  }

  private MemorySegment memory(long length) {
    return random.nextInt(3) == 0
        ? MemorySegment.ofArray(new byte[(int) length])
        : arena.allocate(Math.max(length, 1), 8).asSlice(0, length);
  }

  // ------------------------------------------------------------------ what it does

  long nextNs() {
    if (isGhost) {
      return Long.MAX_VALUE;
    }
    return Math.min(hearsNs(), ownNextNs());
  }

  /** When it is told that a rank has died. */
  private long hearsNs() {
    boolean isOpen = book.diedNs() != Long.MAX_VALUE && messenger.end(mortal) == null;
    return isOpen ? book.diedNs() + untoldNs : Long.MAX_VALUE;
  }

  private long ownNextNs() {
    if (!messenger.isQuiet() || !executions.isQuiet()) {
      return simulation.clock().nowNs() + RETRY_NS;
    }
    if (drains && !receivesAll) {
      return simulation.clock().nowNs() + OTHERS_NS;
    }
    return drains ? Long.MAX_VALUE : Math.min(nextNs, lastNs);
  }

  boolean isDone() {
    return isGhost || (receivesAll && messenger.isQuiet() && executions.isQuiet());
  }

  /** What is not complete, or null. */
  @Nullable String whatIsMissing() {
    return isGhost
        ? null
        : !receivesAll
            ? process.name + " has not begun to receive what is left"
            : running > 0 ? process.name + ": " + running + " collective operations go on" : null;
  }

  /** One step; whether anything was done. */
  boolean step(Endpoint on, List<Connection> connected) {
    endpoint = on;
    work = 0;
    for (Connection c : connected) {
      if (c.peerIncarnation() != 0 && seen.add(c)) { // it may be over by now
        onUp(rankOf(c), c);
      }
    }
    if (simulation.clock().nowNs() >= hearsNs()) {
      onDeath();
    }
    connections.forEach(this::poll);
    if (isGhost) {
      return work > 0;
    }
    Failure offence = messenger.takeOffence();
    if (offence != null) {
      throw new Violation("15 ranks", process.name + ": rank " + offence.rank() + " " + offence);
    }
    if (simulation.clock().nowNs() >= nextNs && !drains) {
      act();
    }
    if (simulation.clock().nowNs() >= lastNs && !drains) {
      drain();
    }
    if (drains && !receivesAll && hasGotWanted() && doAllDrain()) {
      receiveWhatIsLeft();
    }
    process.mayStop();
    work += executions.progress();
    work += messenger.progress();
    Throwable error = messenger.errors().take();
    if (error != null) {
      throw new IllegalStateException(process.name + ": something has thrown", error);
    }
    for (Executions.Lent next = executions.borrow(); next != null; next = executions.borrow()) {
      executions.giveBack(next, next.run());
      work++;
    }
    return work > 0;
  }

  private void onUp(int rank, Connection connection) {
    Connection known = connections.get(rank);
    if (rank == mortal
        && !isGhost
        && known != null
        && known.peerIncarnation() != connection.peerIncarnation()) {
      onDeath(); // its connection stays: what lends memory comes to its end
    } else {
      connections.put(rank, connection);
    }
  }

  /** The one that dies has died: what it had sent is taken in, and then it is no more. */
  private void onDeath() {
    if (messenger.end(mortal) != null) {
      return;
    }
    Connection connection = connections.get(mortal);
    if (connection != null) {
      int before;
      do {
        before = work;
        poll(mortal, connection);
      } while (work > before);
    }
    Failure failure = new Failure(Failure.Kind.RANK_ENDED, mortal, "rank " + mortal + " died");
    messenger.onEnd(mortal, failure);
    executions.onEnd(mortal, failure);
    work++;
  }

  private int rankOf(Connection connection) {
    return Integer.parseInt(connection.peerName().substring(1));
  }

  private void act() {
    nextNs = simulation.clock().nowNs() + random.nextLong(Math.max(1, lastNs / 60));
    switch (random.nextInt(5)) {
      case 0, 1 -> {
        if (sendsLeft > 0) {
          sendsLeft--;
          send();
        }
      }
      case 2, 3 -> {
        if (receivesLeft > 0) {
          receivesLeft--;
          int source = random.nextInt(3) == 0 ? RankBook.ANY : random.nextInt(size);
          int tag = random.nextInt(3) == 0 ? RankBook.ANY : random.nextInt(TAGS);
          receive(2 * random.nextInt(2), source, tag);
        }
      }
      default -> {
        if (collectivesLeft > 0) {
          collectivesLeft--;
          begin(collectives++);
        }
      }
    }
    work++;
  }

  private void send() {
    long length = LENGTHS[random.nextInt(LENGTHS.length)];
    int to = random.nextInt(size);
    send(to, 2 * random.nextInt(2), random.nextInt(TAGS), length);
  }

  /** Which sends of which simulations have no memory; the seed's random numbers are as ever. */
  private boolean isUnreadable(long number) {
    long seed = Bytes.mix(simulation.scenario().seed() ^ 0x676f6e65);
    return (seed & 3) == 0 && (Bytes.mix(seed * 31 + number) & 7) == 0;
  }

  /** The same bytes in memory that is taken away. */
  private static MemorySegment gone(MemorySegment bytes) {
    try (Arena closed = Arena.ofShared()) {
      return closed.allocate(bytes.byteSize(), 8).copyFrom(bytes);
    }
  }

  private void send(int to, int context, int tag, long length) {
    boolean isUnreadable = length > 0 && isUnreadable(book.nextNumber());
    RankBook.Sent sent = book.send(self, to, context, tag, length, isUnreadable);
    MemorySegment memory = memory(length);
    Bytes.fill(memory, 0, length, sent.seed());
    boolean synchronous = random.nextInt(4) == 0;
    messenger.send(
        new SendOp(
            sent.context,
            to,
            sent.tag,
            synchronous,
            isUnreadable ? gone(memory) : memory,
            failure -> {
              boolean isTold = failure != null && failure.kind() == Failure.Kind.MEMORY;
              if (isUnreadable && failure == null) {
                throw new Violation("15 ranks", sent + ": counts as sent");
              } else if (!(isUnreadable && isTold)) {
                check(failure, sent.toString(), to == mortal);
              }
              boolean early = failure == null && synchronous && isUnmatched(sent);
              if (sent.done || early) {
                throw new Violation("15 ranks", sent + ": told twice, or too early");
              }
              sent.done = true;
              Bytes.fill(memory, 0, length, ~sent.seed()); // nobody may read it any more
            }));
  }

  /** A synchronous send is over once a receive was found; of a short one that has all of it. */
  private static boolean isUnmatched(RankBook.Sent sent) {
    return sent.by == null && sent.length == 0 && sent.to != sent.from;
  }

  private RankBook.Taken receive(int context, int source, int tag) {
    MemorySegment memory = memory(LENGTHS[LENGTHS.length - 1]);
    RankBook.Taken taken = book.receive(self, context, source, tag, memory);
    ReceiveOp[] op = new ReceiveOp[1];
    op[0] =
        new ReceiveOp(
            context,
            source,
            tag,
            memory,
            failure -> {
              posted.remove(taken);
              taken.done = true;
              if (failure != null && failure.kind() == Failure.Kind.CANCELLED && drains) {
                taken.cancelled = true;
                return;
              }
              int from = op[0].fromRank();
              if (failure != null && tellsOfUnreadable(failure, from)) {
                book.failed(taken, from, op[0].withTag(), op[0].length());
                return;
              }
              check(failure, taken.toString(), source == mortal || source == RankBook.ANY);
              if (failure != null) {
                taken.cancelled = true;
                return;
              }
              book.got(taken, from, op[0].withTag(), op[0].length());
              simulation.delivered(op[0].length());
            });
    posted.put(taken, op[0]);
    messenger.receive(op[0]);
    return taken;
  }

  /** The receive's own memory is always there. */
  private static boolean tellsOfUnreadable(Failure failure, int from) {
    return failure.kind() == Failure.Kind.MEMORY
        && failure.text().contains("rank " + from + " cannot send it");
  }

  /** What needs the rank that has died may fail, and says so. */
  private void check(@Nullable Failure failure, String what, boolean needsMortal) {
    boolean tells =
        failure != null
            && failure.kind() == Failure.Kind.RANK_ENDED
            && failure.rank() == mortal
            // who cannot send because of it may tell before the word of its death is here
            && (messenger.end(mortal) != null || book.hasDied(mortal));
    if (failure != null && !(needsMortal && mortal != RankBook.ANY && tells)) {
      throw new Violation("15 ranks", what + ": " + failure);
    }
  }

  /** Cancels what may never come, and receives all that was not received. */
  private void drain() {
    drains = true;
    while (collectivesLeft-- > 0) {
      begin(collectives++);
    }
    List.copyOf(posted.values()).forEach(messenger::cancel);
    for (int i = 0; i < MORE_THAN_ROOM; i++) {
      send((self + 1) % size, CROWDED, 0, LENGTHS[random.nextInt(3)]);
    }
    send((self + 1) % size, CROWDED, 1, LENGTHS[random.nextInt(LENGTHS.length)]);
    wanted = receive(CROWDED, (self - 1 + size) % size, 1);
    work++;
  }

  /** Whether it has got the one behind more than there is room for, which it had to ask for. */
  private boolean hasGotWanted() {
    RankBook.Taken taken = wanted;
    boolean allIsTold =
        mortal == RankBook.ANY
            || messenger.end(mortal) != null
            || (!book.hasDied(mortal)
                && simulation.clock().nowNs() >= simulation.scenario().safetyNs());
    return taken != null && taken.done && allIsTold;
  }

  private boolean doAllDrain() {
    for (SimProcess each : simulation.processes()) {
      SimApp app = each.app();
      SimRanks other = app == null ? null : app.ranks();
      if (other == null || !(other.drains || other.isGhost)) {
        return false;
      }
    }
    return true;
  }

  /** Nobody sends any more. */
  private void receiveWhatIsLeft() {
    receivesAll = true;
    work++;
    for (int context : new int[] {0, 2, CROWDED}) {
      for (int from = 0; from < size; from++) {
        int source = from;
        long waiting =
            posted.entrySet().stream()
                .filter(each -> each.getKey().context == context)
                .filter(each -> each.getValue().fromRank() == source)
                .count();
        long left = book.hasDied(source) ? 0 : book.left(source, self, context) - waiting;
        for (; left > 0; left--) {
          receive(context, source, RankBook.ANY);
        }
      }
    }
  }

  // ------------------------------------------------------------------ collective operations

  private static long value(int number, int rank, long index) {
    return number * 1_000_003L + rank * 101L + index;
  }

  /** The same operation in all ranks; where one dies, half of them without it. */
  private void begin(int number) {
    SplittableRandom same =
        new SplittableRandom(Bytes.mix(simulation.scenario().seed() ^ (number * 977L + 5)));
    int kind = same.nextInt(KINDS);
    int count = same.nextInt(4) == 0 ? 12_000 : 1 + same.nextInt(60);
    boolean foreign = same.nextInt(3) == 0;
    int rootAt = same.nextInt(1 << 20);
    boolean isOfAll = mortal == RankBook.ANY || same.nextBoolean();
    int failsAt = same.nextInt(4) == 0 ? same.nextInt(1 << 20) : -1;
    Group group = isOfAll ? all : living;
    if (group != null) {
      int failing = failsAt < 0 ? RankBook.ANY : failsAt % group.size();
      begin(number, kind, count, foreign, failing, rootAt % group.size(), group);
    }
  }

  /**
   * At the rank that is failing what adds throws, if it has to add, or its memory is gone: whom
   * that concerns is told.
   */
  private void begin(
      int number, int kind, int count, boolean foreign, int failing, int root, Group group) {
    int ranks = group.size();
    int rank = group.rank;
    int outCount = kind == 3 || kind == 4 ? count * ranks : count;
    int inCount = kind == 4 || kind == 5 ? count * ranks : count;
    MemorySegment in = memory((long) inCount * Long.BYTES);
    MemorySegment out = memory((long) outCount * Long.BYTES);
    for (int i = 0; i < inCount; i++) {
      in.set(JAVA_LONG_UNALIGNED, (long) i * Long.BYTES, value(number, rank, i));
    }
    long[] expected = new long[kind == 0 ? 0 : outCount];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = expected(kind, number, count, root, group, i);
    }
    Sum sum = new Sum(foreign, rank == failing);
    Hosts hosts = group.hosts;
    boolean isOnTwoLevels =
        number % 4 != 3 && hosts.areShared() && (kind != 2 || TwoLevels.isFor(hosts, sum));
    Arena own = Arena.ofShared();
    boolean isUnreadable = rank == failing && isUnreadable(-1L - number);
    MemorySegment from = isUnreadable ? own.allocate(in.byteSize(), 8).copyFrom(in) : in;
    Schedule onTwoLevels =
        isOnTwoLevels ? onTwoLevels(kind, rank, hosts, root, from, out, sum) : null;
    Schedule schedule =
        onTwoLevels != null ? onTwoLevels : onOneLevel(kind, rank, ranks, root, from, out, sum);
    own.close();
    boolean needsMortal = group.equals(all);
    Collective collective = new Collective(number, failing != RankBook.ANY, out, expected);
    int[] members = group.members.stream().mapToInt(member -> member).toArray();
    running++;
    executions.begin(
        new Execution(
            schedule,
            group.context,
            number,
            members,
            failure -> ended(collective, needsMortal, failure)));
  }

  private static Schedule onOneLevel(
      int kind, int rank, int ranks, int root, MemorySegment in, MemorySegment out, Sum sum) {
    return switch (kind) {
      case 0 -> Schedules.barrier(rank, ranks);
      case 1 -> {
        MemorySegment data = rank == root ? out.copyFrom(in) : out;
        yield Schedules.broadcast(rank, ranks, root, data);
      }
      case 2 -> Schedules.allreduce(rank, ranks, in, out, sum);
      case 3 -> Schedules.allgather(rank, ranks, in, out);
      case 4 -> Schedules.alltoall(rank, ranks, in, out);
      case 5 -> Schedules.reduceScatter(rank, ranks, Blocks.even(in, ranks), out, sum);
      default -> Schedules.scan(rank, ranks, in, out, sum, true);
    };
  }

  /** The same where ranks share hosts; null of what has no two levels. */
  private static @Nullable Schedule onTwoLevels(
      int kind, int rank, Hosts hosts, int root, MemorySegment in, MemorySegment out, Sum sum) {
    AlgorithmTable table = AlgorithmTable.usual();
    int leaders = hosts.count();
    return switch (kind) {
      case 0 -> TwoLevels.barrier(rank, hosts);
      case 1 -> {
        MemorySegment data = rank == root ? out.copyFrom(in) : out;
        Algorithm among = table.choose(Mark.Kind.BCAST, leaders, data.byteSize());
        yield TwoLevels.broadcast(among, rank, hosts, root, data);
      }
      case 2 -> {
        Algorithm among = table.choose(Mark.Kind.ALLREDUCE, leaders, in.byteSize());
        yield TwoLevels.allreduce(among, rank, hosts, in, out, sum);
      }
      case 3 -> {
        Algorithm among = table.choose(Mark.Kind.ALLGATHER, leaders, out.byteSize() / leaders);
        yield TwoLevels.allgather(among, rank, hosts, in, out);
      }
      default -> null;
    };
  }

  private long expected(int kind, int number, int count, int root, Group group, int index) {
    return switch (kind) {
      case 1 -> value(number, root, index);
      case 2 -> sum(number, group.size(), index);
      case 3 -> value(number, index / count, index % count);
      case 4 -> value(number, index / count, (long) group.rank * count + index % count);
      case 5 -> sum(number, group.size(), (long) group.rank * count + index);
      default -> sum(number, group.rank + 1, index);
    };
  }

  /** Of the first ranks. */
  private static long sum(int number, int ranks, long index) {
    long sum = 0;
    for (int rank = 0; rank < ranks; rank++) {
      sum += value(number, rank, index);
    }
    return sum;
  }

  private void ended(Collective collective, boolean needsMortal, @Nullable Failure failure) {
    running--;
    boolean isPlanned =
        failure != null
            && collective.mayFail
            && (failure.kind() == Failure.Kind.OPERATION || failure.kind() == Failure.Kind.MEMORY);
    if (!isPlanned) {
      check(failure, process.name + ", collective operation " + collective.number, needsMortal);
    }
    if (failure != null) {
      return;
    }
    for (int i = 0; i < collective.expected.length; i++) {
      long got = collective.result.get(JAVA_LONG_UNALIGNED, (long) i * Long.BYTES);
      if (got != collective.expected[i]) {
        throw new Violation(
            "15 ranks",
            process.name
                + ", collective operation "
                + collective.number
                + ": element "
                + i
                + " is "
                + got
                + ", not "
                + collective.expected[i]);
      }
    }
  }

  // ------------------------------------------------------------------ what came

  private void poll(int rank, Connection connection) {
    for (int number = Wire.POINT_TO_POINT; number <= Wire.BULK; number++) {
      ChannelCore channel = connection.existingChannel(number);
      if (channel != null) {
        process.mayStop();
        poll(rank, connection, channel);
      }
    }
    work +=
        connection
            .placement()
            .poll(
                (region, offset, length, bytes, at, count) -> {
                  boolean sound =
                      isGhost
                          || messenger.onPlaced(rank, bytes.get(JAVA_LONG_UNALIGNED, at), length);
                  if (!sound && !mayBeStrange()) {
                    throw new Violation("15 ranks", process.name + ": told of a strange put");
                  }
                },
                POLL_LIMIT);
  }

  private void poll(int rank, Connection connection, ChannelCore channel) {
    int before = work;
    int polled =
        channel.poll(
            (m, offset, length, sequence) -> {
              work++;
              boolean sound =
                  isGhost || messenger.onMessage(rank, channel.number(), m, offset, length);
              boolean isOwn = channel.number() != Wire.POINT_TO_POINT;
              if (!sound && !(mayBeStrange() && (isOwn || rank == mortal))) {
                throw new Violation(
                    "15 ranks", process.name + ": a message of rank " + rank + " makes no sense");
              }
              process.mayStop();
              return MessageHandler.Action.CONTINUE;
            },
            POLL_LIMIT);
    if (polled > 0 || work > before) { // of one that is over, too: its memory is given back
      boolean unused = endpoint().signal(connection, channel);
    }
  }

  /** What collective operations were given up for may still come, and is dropped. */
  private boolean mayBeStrange() {
    return mortal != RankBook.ANY && messenger.end(mortal) != null;
  }

  private Endpoint endpoint() {
    Endpoint of = endpoint;
    if (of == null) {
      throw new IllegalStateException("it has not begun");
    }
    return of;
  }

  /** The process is gone. */
  void dispose() {
    if (self == mortal && !isGhost) {
      book.died(simulation.clock().nowNs());
    }
    simulation.closeLater(arena);
  }

  /** To the others, by the process's connections; planted faults are put in here. */
  private final class Way implements Wire {
    private static final int KIND = 0;
    private static final int FLAGS = 1;

    /** Of an announcement before its turn. */
    private static final int EARLY = 4;

    /** Of one whose data could not be read. */
    private static final int UNREADABLE = 16;

    @Override
    public boolean offer(
        int rank, int channel, Envelope envelope, MemorySegment body, long offset, long length) {
      Connection to = connections.get(rank);
      if (to == null) {
        return false;
      }
      MemorySegment header =
          MemorySegment.ofArray(envelope.memory().toArray(ValueLayout.JAVA_BYTE));
      int kind = header.get(ValueLayout.JAVA_BYTE, KIND);
      int flags = header.get(ValueLayout.JAVA_BYTE, FLAGS);
      switch (simulation.plant()) {
        case RANK_EARLY_UNMARKED -> {
          if (kind == Envelope.RTS && (flags & EARLY) != 0) {
            header.set(ValueLayout.JAVA_BYTE, FLAGS, (byte) (flags & ~EARLY));
          }
        }
        case RANK_WANT_LOST -> {
          if (kind == Envelope.WANT) {
            return true;
          }
        }
        case RANK_UNREADABLE_UNTOLD -> {
          if (kind == Envelope.RTS && (flags & UNREADABLE) != 0) {
            return true;
          }
        }
        case RANK_TURN_FORGOTTEN -> {
          if (kind == Envelope.TURN) {
            return true;
          }
        }
        default -> {}
      }
      ChannelCore on = to.channel(channel, Priority.NORMAL);
      pieces.clear();
      pieces.add(header, 0, Envelope.BYTES);
      if (length > 0) {
        pieces.add(body, offset, length);
      }
      if (on.offer(pieces) <= 0) {
        return false;
      }
      work++;
      boolean unused = endpoint().offered(to, on);
      return true;
    }

    @Override
    public long export(int rank, MemorySegment memory) {
      ExportedRegion region =
          endpoint().regions().export(memory, ExportedRegion.PUT, null, messenger);
      return region == null ? 0 : region.key();
    }

    @Override
    public void unexport(long key) {
      endpoint().regions().close(key);
    }

    @Override
    public boolean put(
        int rank,
        long key,
        MemorySegment source,
        long offset,
        long length,
        long targetOffset,
        long receiveId,
        PutOutcome done) {
      Connection to = connections.get(rank);
      if (to == null) {
        return false;
      }
      byte[] note = new byte[Long.BYTES];
      MemorySegment.ofArray(note).set(JAVA_LONG_UNALIGNED, 0, receiveId);
      Put message =
          new Put(key, targetOffset, source, offset, length, note) {
            @Override
            public void onComplete(long sequence, @Nullable String error) {
              done.onDone(error, reason() != 0);
            }
          };
      ChannelCore on = to.placement().channelOf(message);
      if (to.placement().put(on, message) <= 0) {
        return false;
      }
      work++;
      boolean unused = endpoint().offered(to, on);
      return true;
    }
  }
}
