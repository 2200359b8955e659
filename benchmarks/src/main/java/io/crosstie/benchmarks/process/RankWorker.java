// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Content;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.Progress;
import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.ElementType;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.Request;
import io.crosstie.ranks.World;
import io.crosstie.ranks.WorldConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * A rank of {@code bench ranks} and {@code bench collectives}, started by the launcher: measures
 * the cases that its words name, one after the other, and prints a figure of each. Point to point
 * is between ranks 0 and 1. {@code mpi-ranks.c} does the same by MPI.
 */
public final class RankWorker {
  /** Its first word: by ranks, or by the plain channel and puts below them. */
  static final String BY_RANKS = "ranks";

  static final String BY_CHANNEL = "channel";

  /** A line with a figure begins so. */
  static final String FIGURE = "figure ";

  /** How a rank waits. */
  static final String SPIN = "spin";

  private static final int TAG = 7;
  private static final int TOKEN_TAG = 8;
  private static final int FIRST_OTHER_TAG = 1000;
  private static final int WORD = Content.WORD;
  private static final long PAGE = 4096;

  /** Operations on more are done twice in a batch. */
  private static final long LONG_BYTES = 64 << 10;

  private static final long SPREAD = 1_000_003;

  private final Communicator all;
  private final int rank;
  private final long warmUpNs;
  private final long measureNs;

  private RankWorker(Communicator all, long warmUpNs, long measureNs) {
    this.all = all;
    this.rank = all.rank();
    this.warmUpNs = warmUpNs;
    this.measureNs = measureNs;
  }

  /** Program: what carries the messages, how to wait, the times in ns, and the cases. */
  public static void main(String[] args) {
    Progress progress = progress(args[1]);
    long warmUpNs = Long.parseLong(args[2]);
    long measureNs = Long.parseLong(args[3]);
    List<RankCase> cases = Arrays.stream(args, 4, args.length).map(RankCase::parse).toList();
    if (args[0].equals(BY_CHANNEL)) {
      RankChannel.run(progress, warmUpNs, measureNs, cases);
      return;
    }
    try (World world = World.join(new WorldConfig().progress(progress))) {
      RankWorker worker = new RankWorker(world.communicator(), warmUpNs, measureNs);
      cases.forEach(worker::measure);
    }
  }

  private static Progress progress(String how) {
    return how.equals(SPIN) ? Progress.shared(Idle.spin()) : Progress.shared();
  }

  /** Prints what rank 0, or for a stream the receiver, has found. */
  static void tell(int rank, RankCase what, RankClock clock) {
    if (rank == (what.what().isStream() ? 1 : 0)) {
      System.out.println(
          FIGURE + what.word() + String.format(Locale.ROOT, " %.2f", clock.median()));
      System.out.flush();
    }
  }

  private void measure(RankCase what) {
    if (what.what().isCollective() || rank < 2) {
      try (Arena arena = Arena.ofShared()) {
        RankClock clock = new RankClock(warmUpNs, measureNs);
        switch (what.what()) {
          case RTT -> roundTrips(arena.allocate(what.size(), PAGE), clock);
          case POSTED -> behindPosted(arena, (int) what.size(), clock);
          case UNEXPECTED -> besideUnexpected(arena, (int) what.size(), clock);
          case STREAM -> stream(arena, what.size(), clock);
          default -> collective(arena, what, clock);
        }
        tell(rank, what, clock);
      }
    }
    all.barrier();
  }

  // ------------------------------------------------------------------ point to point

  private void roundTrips(MemorySegment buffer, RankClock clock) {
    int other = 1 - rank;
    Data data = Data.of(buffer);
    RankLoops.roundTrips(
        rank,
        new RankLoops.Trip() {
          @Override
          public void send() {
            all.send(data, other, TAG);
          }

          @Override
          public void receive() {
            Object unused = all.recv(data, other, TAG);
          }
        },
        buffer,
        clock);
  }

  private void stream(Arena arena, long size, RankClock clock) {
    int window = (int) RankLoops.window(size);
    MemorySegment memory = arena.allocate(window * size, PAGE);
    List<Data> parts = parts(memory, window, size);
    MemorySegment token = arena.allocate(WORD);
    Data answer = Data.of(token);
    RankLoops.stream(
        rank,
        new RankLoops.Windows() {
          @Override
          public void sendAll() {
            Request.awaitAll(parts.stream().map(part -> all.isend(part, 1, TAG)).toList());
          }

          @Override
          public void receiveAll() {
            Request.awaitAll(parts.stream().map(part -> all.irecv(part, 0, TAG)).toList());
          }

          @Override
          public void answer(boolean more) {
            token.set(ValueLayout.JAVA_LONG, 0, more ? 1 : 0);
            all.send(answer, 0, TOKEN_TAG);
          }

          @Override
          public boolean awaitAnswer() {
            Object unused = all.recv(answer, 1, TOKEN_TAG);
            return token.get(ValueLayout.JAVA_LONG, 0) != 0;
          }
        },
        memory,
        size,
        clock);
  }

  private static List<Data> parts(MemorySegment memory, int count, long size) {
    List<Data> parts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      parts.add(Data.of(memory.asSlice(i * size, size)));
    }
    return parts;
  }

  /** Both have come so far, and all that was sent before has come, too. */
  private void meet(Arena arena) {
    Data token = Data.of(arena.allocate(WORD));
    Request sent = all.isend(Data.of(arena.allocate(WORD)), 1 - rank, TOKEN_TAG);
    Object unused = all.recv(token, 1 - rank, TOKEN_TAG);
    Object unusedToo = sent.await();
  }

  private MemorySegment others(Arena arena, int count) {
    MemorySegment memory = arena.allocate((long) count * WORD, PAGE);
    for (int i = 0; i < count; i++) {
      Content.fill(memory, (long) i * WORD, WORD, i);
    }
    return memory;
  }

  private List<Request> sendOthers(MemorySegment from, int count) {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Data one = Data.of(from.asSlice((long) i * WORD, WORD));
      requests.add(all.isend(one, 1 - rank, FIRST_OTHER_TAG + i));
    }
    return requests;
  }

  private List<Request> receiveOthers(MemorySegment to, int count) {
    List<Request> requests = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      Data one = Data.of(to.asSlice((long) i * WORD, WORD));
      requests.add(all.irecv(one, 1 - rank, FIRST_OTHER_TAG + i));
    }
    return requests;
  }

  private static void compare(MemorySegment in, MemorySegment out) {
    if (in.mismatch(out) >= 0) {
      throw new IllegalStateException("one of the other messages came wrong");
    }
  }

  private void behindPosted(Arena arena, int count, RankClock clock) {
    MemorySegment in = arena.allocate((long) count * WORD, PAGE);
    MemorySegment out = others(arena, count);
    List<Request> posted = receiveOthers(in, count);
    meet(arena);
    roundTrips(arena.allocate(WORD, PAGE), clock);
    Request.awaitAll(sendOthers(out, count));
    Request.awaitAll(posted);
    compare(in, out);
  }

  private void besideUnexpected(Arena arena, int count, RankClock clock) {
    MemorySegment in = arena.allocate((long) count * WORD, PAGE);
    MemorySegment out = others(arena, count);
    List<Request> sent = sendOthers(out, count);
    meet(arena);
    roundTrips(arena.allocate(WORD, PAGE), clock);
    Request.awaitAll(receiveOthers(in, count));
    Request.awaitAll(sent);
    compare(in, out);
  }

  // ------------------------------------------------------------------ collective operations

  private void collective(Arena arena, RankCase what, RankClock clock) {
    long size = what.size();
    MemorySegment in = arena.allocate(Math.max(WORD, size * all.size()), PAGE);
    MemorySegment out = arena.allocate(Math.max(WORD, size * all.size()), PAGE);
    MemorySegment flag = arena.allocate(WORD);
    Data go = Data.of(flag);
    Data one = Data.of(in.asSlice(0, size), ElementType.LONG);
    Data oneOut = Data.of(out.asSlice(0, size), ElementType.LONG);
    Data each = Data.of(in.asSlice(0, size * all.size()));
    Data eachOut = Data.of(out.asSlice(0, size * all.size()));
    Runnable[] turns = new Runnable[all.size()];
    for (int i = 0; i < turns.length; i++) {
      int root = i; // it goes round, so that each broadcast waits for the one before
      turns[i] =
          switch (what.what()) {
            case BARRIER -> all::barrier;
            case BCAST -> () -> all.bcast(one, root);
            case ALLREDUCE -> () -> all.allreduce(one, oneOut, Reduction.SUM);
            case ALLGATHER -> () -> all.allgather(one, eachOut);
            case ALLTOALL -> () -> all.alltoall(each, eachOut);
            default -> throw new IllegalArgumentException(what + " is no collective operation");
          };
    }
    fill(what, in);
    turns[0].run();
    check(what, in, out);
    int batch = size <= LONG_BYTES ? RankLoops.TRIPS : 2;
    boolean more = true;
    while (more) {
      long fromNs = System.nanoTime();
      for (int i = 0; i < batch; i++) {
        turns[i % turns.length].run();
      }
      long toNs = System.nanoTime();
      clock.add(fromNs, toNs, (double) (toNs - fromNs) / batch);
      flag.set(ValueLayout.JAVA_LONG, 0, clock.isOver(toNs) ? 0 : 1);
      all.bcast(go, 0);
      more = flag.get(ValueLayout.JAVA_LONG, 0) != 0;
    }
  }

  private static long word(int of, long index) {
    return of * SPREAD + index;
  }

  private void fill(RankCase what, MemorySegment in) {
    long words = what.size() / WORD * (what.what() == RankCase.What.ALLTOALL ? all.size() : 1);
    boolean fills = what.what() != RankCase.What.BCAST || rank == 0;
    for (long i = 0; i < words; i++) {
      in.setAtIndex(ValueLayout.JAVA_LONG, i, fills ? word(rank, i) : -1);
    }
  }

  /** The first one is looked at, word by word. */
  private void check(RankCase what, MemorySegment in, MemorySegment out) {
    long words = what.size() / WORD;
    for (long i = 0; i < words; i++) {
      switch (what.what()) {
        case BCAST -> check(what, in, i, word(0, i));
        case ALLREDUCE -> {
          long pairs = all.size() * (all.size() - 1L) / 2; // a whole number, whatever the size
          check(what, out, i, all.size() * i + SPREAD * pairs);
        }
        case ALLGATHER, ALLTOALL -> {
          long from = what.what() == RankCase.What.ALLTOALL ? rank * words : 0;
          for (int of = 0; of < all.size(); of++) {
            check(what, out, of * words + i, word(of, from + i));
          }
        }
        default -> {}
      }
    }
  }

  private static void check(RankCase what, MemorySegment at, long index, long expected) {
    long found = at.getAtIndex(ValueLayout.JAVA_LONG, index);
    if (found != expected) {
      throw new IllegalStateException(
          what.text() + ": word " + index + " is " + found + " and not " + expected);
    }
  }
}
