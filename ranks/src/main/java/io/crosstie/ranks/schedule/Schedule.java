// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.schedule;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * What one rank does in a collective operation: rounds of sends and receives that are under way
 * together, and behind each what it does by itself once all of them are done. The same for blocking
 * and non-blocking operations.
 */
public final class Schedule {
  /** Memory that is shorter lies on the heap. */
  private static final int SHORT = 4096;

  /** Of all ranks of this process; by default the JVM's bound of direct memory is its heap's. */
  private static final ScratchMemory SCRATCH =
      new ScratchMemory(Math.min(64 << 20, Runtime.getRuntime().maxMemory() / 8));

  static final MemorySegment NOTHING = MemorySegment.ofArray(new byte[0]);

  /** A message of a round; the rank is that of the communicator. */
  record Part(int rank, MemorySegment memory) {}

  /** Messages that are under way together, and what follows them. */
  static final class Round {
    final List<Part> sends = new ArrayList<>();
    final List<Part> receives = new ArrayList<>();
    final Deque<Local> locals = new ArrayDeque<>();
  }

  private final Deque<Round> rounds = new ArrayDeque<>();
  private final List<MemorySegment> scratch = new ArrayList<>();
  private Round last = new Round();
  private int mark;
  private int messages;
  private long bytes;

  /** Nothing is to be done. */
  public Schedule() {
    rounds.add(last);
  }

  /** Memory for what is under way, whatever is in it. */
  MemorySegment memory(long bytes) {
    if (bytes <= SHORT) {
      return MemorySegment.ofArray(new byte[(int) bytes]);
    }
    MemorySegment piece = SCRATCH.take(bytes);
    scratch.add(piece);
    return piece.asSlice(0, bytes);
  }

  /** All is done, and nothing of it can come late: others may have its memory. */
  void release() {
    scratch.forEach(SCRATCH::giveBack);
    scratch.clear();
  }

  Schedule send(int rank, MemorySegment memory) {
    last.sends.add(new Part(rank, memory));
    messages++;
    bytes += memory.byteSize();
    return this;
  }

  Schedule receive(int rank, MemorySegment memory) {
    last.receives.add(new Part(rank, memory));
    return this;
  }

  Schedule sendNothing(int rank) {
    return send(rank, NOTHING);
  }

  Schedule receiveNothing(int rank) {
    return receive(rank, NOTHING);
  }

  /** After the messages of this round. */
  Schedule local(Local local) {
    last.locals.add(local);
    return this;
  }

  /**
   * Copies before anything else that is there. Not while it is made: of memory that is gone the
   * others are told only by an operation that has begun.
   */
  Schedule copyFirst(MemorySegment from, MemorySegment to) {
    Round round = new Round();
    round.locals.add(Local.copy(from, to));
    rounds.addFirst(round);
    return this;
  }

  /** What follows begins when all of this round is done. */
  Schedule next() {
    last = new Round();
    rounds.add(last);
    return this;
  }

  /**
   * Does another one after what is there.
   *
   * @param ranks the numbers here of the ranks that it speaks of
   */
  Schedule append(Schedule part, int[] ranks) {
    scratch.addAll(part.scratch);
    part.scratch.clear();
    for (Round round : part.rounds) {
      Schedule unused = next();
      round.receives.forEach(each -> receive(ranks[each.rank()], each.memory()));
      round.sends.forEach(each -> send(ranks[each.rank()], each.memory()));
      last.locals.addAll(round.locals);
    }
    return this;
  }

  Deque<Round> rounds() {
    return rounds;
  }

  /** Has its messages say what they belong to ({@link Mark}). */
  public Schedule marked(int as) {
    mark = as;
    return this;
  }

  int mark() {
    return mark;
  }

  /** How many messages this rank sends. */
  public int messages() {
    return messages;
  }

  /** How many bytes it sends. */
  public long bytes() {
    return bytes;
  }

  /** Rounds in which something is sent or received. */
  public long communicationRounds() {
    return rounds.stream()
        .filter(round -> !round.sends.isEmpty() || !round.receives.isEmpty())
        .count();
  }
}
