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
import io.crosstie.ranks.schedule.Combiner;
import io.crosstie.ranks.schedule.Execution;
import io.crosstie.ranks.schedule.Executions;
import io.crosstie.ranks.schedule.Schedule;
import io.crosstie.ranks.schedule.Schedules;
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
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A rank on top of a simulated process: the shipped matching, rendezvous and collective operations
 * over the connections of its endpoint, with hardly any room for what nobody has received. In the
 * safety phase it sends and posts receives at random, and takes part in collective operations, some
 * at a time; in the liveness phase it cancels what is posted and receives what is left.
 */
final class SimRanks {
  private static final int TAGS = 4;
  private static final int POLL_LIMIT = 16;
  private static final long RETRY_NS = 200_000;
  private static final long OTHERS_NS = 5_000_000;
  private static final long[] LENGTHS = {0, 1, 8, 40, 100, 100, 3_000, 20_000, 150_000};

  /** Adds 64-bit numbers, by the application if it is foreign. */
  private record Sum(boolean isForeign) implements Combiner {
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
      for (long at = 0; at < right.byteSize(); at += Long.BYTES) {
        long sum = left.get(JAVA_LONG_UNALIGNED, at) + right.get(JAVA_LONG_UNALIGNED, at);
        right.set(JAVA_LONG_UNALIGNED, at, sum);
      }
    }
  }

  /** What a collective operation has to come to. */
  private static final class Collective {
    private final int number;
    private final MemorySegment result;
    private final long[] expected;

    Collective(int number, MemorySegment result, long[] expected) {
      this.number = number;
      this.result = result;
      this.expected = expected;
    }
  }

  private final Simulation simulation;
  private final SimProcess process;
  private final RankBook book;
  private final int self;
  private final int size;
  private final SplittableRandom random;
  private final Arena arena = Arena.ofShared();
  private final Messenger messenger;
  private final Executions executions;
  private final Map<Integer, Connection> connections = new HashMap<>();
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
  private int work;

  SimRanks(Simulation simulation, SimProcess process, RankBook book) {
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
    this.messenger = new Messenger(self, size, limits, new Way());
    this.executions = new Executions(messenger);
    BitSet members = new BitSet();
    members.set(0, size);
    messenger.openContext(0, members);
    messenger.openContext(2, members);
    this.sendsLeft = 20 + random.nextInt(60);
    this.receivesLeft = 20 + random.nextInt(60);
  }

  private MemorySegment memory(long length) {
    return random.nextInt(3) == 0
        ? MemorySegment.ofArray(new byte[(int) length])
        : arena.allocate(Math.max(length, 1), 8).asSlice(0, length);
  }

  // ------------------------------------------------------------------ what it does

  long nextNs() {
    if (!messenger.isQuiet() || !executions.isQuiet()) {
      return simulation.clock().nowNs() + RETRY_NS;
    }
    if (drains && !receivesAll) {
      return simulation.clock().nowNs() + OTHERS_NS;
    }
    return drains ? Long.MAX_VALUE : Math.min(nextNs, lastNs);
  }

  boolean isDone() {
    return receivesAll && messenger.isQuiet() && executions.isQuiet();
  }

  /** What is not complete, or null. */
  @Nullable String whatIsMissing() {
    return !receivesAll
        ? process.name + " has not begun to receive what is left"
        : running > 0 ? process.name + ": " + running + " collective operations go on" : null;
  }

  /** One step; whether anything was done. */
  boolean step(Endpoint on, List<Connection> all) {
    endpoint = on;
    work = 0;
    for (Connection c : all) {
      if (c.state() == Connection.State.UP) {
        connections.put(rankOf(c), c);
      }
    }
    connections.forEach(this::poll);
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
    if (drains && !receivesAll && doAllDrain()) {
      receiveWhatIsLeft();
    }
    process.mayStop();
    work += messenger.progress();
    work += executions.progress();
    for (Executions.Lent next = executions.borrow(); next != null; next = executions.borrow()) {
      executions.giveBack(next, next.run());
      work++;
    }
    return work > 0;
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
    RankBook.Sent sent = book.send(self, to, 2 * random.nextInt(2), random.nextInt(TAGS), length);
    MemorySegment memory = memory(length);
    Bytes.fill(memory, 0, length, sent.seed());
    boolean synchronous = random.nextInt(4) == 0;
    messenger.send(
        new SendOp(
            sent.context,
            to,
            sent.tag,
            synchronous,
            memory,
            failure -> {
              check(failure, sent.toString());
              if (sent.done || (synchronous && isUnmatched(sent))) {
                throw new Violation("15 ranks", sent + ": told twice, or too early");
              }
              sent.done = true;
              Bytes.fill(memory, 0, length, ~sent.seed()); // nobody may read it any more
            }));
  }

  /** A synchronous send is over once a receive was found; of a short one that has all of it. */
  private static boolean isUnmatched(RankBook.Sent sent) {
    return sent.by == null && sent.length == 0;
  }

  private void receive(int context, int source, int tag) {
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
              check(failure, taken.toString());
              book.got(taken, op[0].fromRank(), op[0].withTag(), op[0].length());
              simulation.delivered(op[0].length());
            });
    posted.put(taken, op[0]);
    messenger.receive(op[0]);
  }

  private static void check(@Nullable Failure failure, String what) {
    if (failure != null) {
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
    work++;
  }

  private boolean doAllDrain() {
    for (SimProcess each : simulation.processes()) {
      SimApp app = each.app();
      SimRanks other = app == null ? null : app.ranks();
      if (other == null || !other.drains) {
        return false;
      }
    }
    return true;
  }

  /** Nobody sends any more. */
  private void receiveWhatIsLeft() {
    receivesAll = true;
    work++;
    for (int context = 0; context <= 2; context += 2) {
      int of = context;
      long waiting = posted.keySet().stream().filter(taken -> taken.context == of).count();
      for (long left = book.to(self, context) - waiting; left > 0; left--) {
        receive(context, RankBook.ANY, RankBook.ANY);
      }
    }
  }

  // ------------------------------------------------------------------ collective operations

  private static long value(int number, int rank, long index) {
    return number * 1_000_003L + rank * 101L + index;
  }

  /** The same operation in all ranks. */
  private void begin(int number) {
    SplittableRandom same =
        new SplittableRandom(Bytes.mix(simulation.scenario().seed() ^ (number * 977L + 5)));
    int kind = same.nextInt(5);
    int count = same.nextInt(4) == 0 ? 12_000 : 1 + same.nextInt(60);
    int root = same.nextInt(size);
    boolean foreign = same.nextInt(3) == 0;
    int outCount = kind == 3 || kind == 4 ? count * size : count;
    int inCount = kind == 4 ? count * size : count;
    MemorySegment in = memory((long) inCount * Long.BYTES);
    MemorySegment out = memory((long) outCount * Long.BYTES);
    for (int i = 0; i < inCount; i++) {
      in.set(JAVA_LONG_UNALIGNED, (long) i * Long.BYTES, value(number, self, i));
    }
    long[] expected = new long[kind == 0 ? 0 : outCount];
    for (int i = 0; i < expected.length; i++) {
      expected[i] = expected(kind, number, count, root, i);
    }
    Schedule schedule =
        switch (kind) {
          case 0 -> Schedules.barrier(self, size);
          case 1 -> {
            MemorySegment data = self == root ? out.copyFrom(in) : out;
            yield Schedules.broadcast(self, size, root, data);
          }
          case 2 -> Schedules.allreduce(self, size, in, out, new Sum(foreign));
          case 3 -> Schedules.allgather(self, size, in, out);
          default -> Schedules.alltoall(self, size, in, out);
        };
    Collective collective = new Collective(number, out, expected);
    int[] members = new int[size];
    java.util.Arrays.setAll(members, i -> i);
    running++;
    executions.begin(
        new Execution(schedule, 1, number, members, failure -> ended(collective, failure)));
  }

  private long expected(int kind, int number, int count, int root, int index) {
    return switch (kind) {
      case 1 -> value(number, root, index);
      case 2 -> {
        long sum = 0;
        for (int rank = 0; rank < size; rank++) {
          sum += value(number, rank, index);
        }
        yield sum;
      }
      case 3 -> value(number, index / count, index % count);
      default -> value(number, index / count, (long) self * count + index % count);
    };
  }

  private void ended(Collective collective, @Nullable Failure failure) {
    running--;
    check(failure, process.name + ", collective operation " + collective.number);
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
                  if (!messenger.onPlaced(rank, bytes.get(JAVA_LONG_UNALIGNED, at), length)) {
                    throw new Violation("15 ranks", process.name + ": told of a strange put");
                  }
                },
                POLL_LIMIT);
  }

  private void poll(int rank, Connection connection, ChannelCore channel) {
    int before = work;
    int polled =
        channel.poll(
            new MessageHandler() {
              @Override
              public Action onMessage(MemorySegment m, long offset, long length, long sequence) {
                return onMessage(m, offset, length, sequence, 0);
              }

              @Override
              public Action onMessage(
                  MemorySegment m, long offset, long length, long sequence, int header) {
                work++;
                boolean sound =
                    messenger.onMessage(
                        rank, channel.number(), m, offset - header, header, offset, length);
                if (!sound) {
                  throw new Violation(
                      "15 ranks", process.name + ": a message of rank " + rank + " makes no sense");
                }
                process.mayStop();
                return Action.CONTINUE;
              }
            },
            POLL_LIMIT);
    if (polled > 0 || work > before) {
      boolean unused = endpoint().signal(connection, channel);
    }
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
    simulation.closeLater(arena);
  }

  /** To the others, by the process's connections; planted faults are put in here. */
  private final class Way implements Wire {
    private static final int KIND = 0;
    private static final int FLAGS = 1;

    /** Of an announcement before its turn. */
    private static final int EARLY = 4;

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
      pieces.headerLength(Envelope.BYTES);
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
        Consumer<@Nullable String> done) {
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
              done.accept(error);
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
