// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.schedule.Executions;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Ranks in one place: ordered channels with little room, and puts that overtake one another; what
 * happens next is drawn from a seed.
 */
public final class FakeNetwork {
  /** A message on its way. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Packet(byte[] header, byte[] body) {}

  /** A put on its way. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Placement(
      int from,
      int to,
      long key,
      byte[] bytes,
      long target,
      long receiveId,
      Wire.PutOutcome done) {}

  /** What happens in a step. */
  private record Step(int from, int to, int channel) {}

  private final Random random;
  private final int room;
  private final Limits limits;
  private final List<Messenger> ranks = new ArrayList<>();
  private final List<Executions> executions = new ArrayList<>();
  private final boolean[] dead;
  private final Map<Step, ArrayDeque<Packet>> channels = new HashMap<>();
  private final List<Step> used = new ArrayList<>();
  private final List<Placement> placements = new ArrayList<>();
  private final Map<Long, MemorySegment> regions = new HashMap<>();
  private long lastKey;
  private long streamed;
  private long puts;
  private long wants;
  private long early;

  /** That one is to be contained where it is thrown; any other fails the test. */
  private @Nullable Error planted;

  private long contained;

  /** To this rank nothing can be said: its channels throw what was planted. */
  private int failing = -1;

  private boolean failsToExport;

  public FakeNetwork(Random random, int size, Limits limits, int room) {
    this.random = random;
    this.limits = limits;
    this.room = room;
    this.dead = new boolean[size];
    for (int rank = 0; rank < size; rank++) {
      ranks.add(new Messenger(rank, size, limits, new End(rank)));
      executions.add(new Executions(ranks.getLast()));
    }
  }

  public Messenger rank(int rank) {
    return ranks.get(rank);
  }

  public Executions executions(int rank) {
    return executions.get(rank);
  }

  long streamed() {
    return streamed;
  }

  long puts() {
    return puts;
  }

  long wants() {
    return wants;
  }

  long early() {
    return early;
  }

  int openRegions() {
    return regions.size();
  }

  /** A rank's way to the others. */
  private final class End implements Wire {
    private final int self;
    private final Envelope seen = new Envelope();

    End(int self) {
      this.self = self;
    }

    @Override
    public boolean offer(
        int rank, int channel, Envelope envelope, MemorySegment body, long offset, long length) {
      if (ranks.get(self).end(rank) != null) {
        throw new AssertionError("rank " + self + " says something to one that has ended");
      }
      Error error = planted;
      if (rank == failing && error != null) {
        throw error;
      }
      byte[] bytes = new byte[(int) length];
      MemorySegment.copy(body, offset, MemorySegment.ofArray(bytes), 0, length);
      Step step = new Step(self, rank, channel);
      ArrayDeque<Packet> queue = channels.get(step);
      if (queue == null) {
        queue = new ArrayDeque<>();
        channels.put(step, queue);
        used.add(step);
      }
      if (dead[rank] || queue.size() >= room || random.nextInt(8) == 0) {
        return false;
      }
      byte[] header = envelope.memory().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
      queue.add(new Packet(header, bytes));
      seen.read(MemorySegment.ofArray(header), 0);
      streamed += seen.kind() == Envelope.DATA ? 1 : 0;
      wants += seen.kind() == Envelope.WANT ? 1 : 0;
      early += seen.kind() == Envelope.RTS && (seen.flags() & Envelope.EARLY) != 0 ? 1 : 0;
      return true;
    }

    @Override
    public long export(int rank, MemorySegment memory) {
      Error error = planted;
      if (failsToExport && error != null) {
        throw error;
      }
      if (random.nextInt(4) == 0) {
        return 0;
      }
      regions.put(++lastKey, memory);
      return lastKey;
    }

    @Override
    public void unexport(long key) {
      if (regions.remove(key) == null) {
        throw new AssertionError("no region " + key);
      }
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
      if (random.nextInt(4) == 0) {
        return false;
      }
      byte[] bytes = new byte[(int) length];
      MemorySegment.copy(source, offset, MemorySegment.ofArray(bytes), 0, length);
      placements.add(new Placement(self, rank, key, bytes, targetOffset, receiveId, done));
      puts++;
      return true;
    }
  }

  /** Something happens; false if nothing is left that could. */
  public boolean step() {
    List<Step> ready = new ArrayList<>();
    for (Step step : used) {
      if (isUnderWay(step)) {
        ready.add(step);
      }
    }
    int choices = ready.size() + placements.size();
    if (choices > 0) {
      int choice = random.nextInt(choices);
      if (choice < ready.size()) {
        deliver(ready.get(choice));
      } else {
        place(placements.remove(choice - ready.size()));
      }
    }
    int work = choices;
    for (int tries = 0; tries < 64; tries++) { // a refusal by chance is not the end
      for (int rank = 0; rank < ranks.size(); rank++) {
        if (!dead[rank]) {
          work += executions.get(rank).progress();
          work += ranks.get(rank).progress();
          takeErrors(rank);
          for (Executions.Lent next = executions.get(rank).borrow();
              next != null;
              next = executions.get(rank).borrow()) {
            executions.get(rank).giveBack(next, next.run());
            work++;
          }
        }
      }
      if (choices > 0) {
        break;
      }
    }
    return work > 0 || !placements.isEmpty() || used.stream().anyMatch(this::isUnderWay);
  }

  /** Something may throw that from now on. */
  public void plant(Error error) {
    planted = error;
  }

  /** How often it was thrown and contained. */
  public long contained() {
    return contained;
  }

  /** Whether no memory can be exported, where one is planted. */
  public void failToExport(boolean is) {
    failsToExport = is;
  }

  /** From now on nothing can be said to that rank, where one is planted; -1 for none. */
  public void failTo(int rank) {
    failing = rank;
  }

  @SuppressWarnings("ReferenceEquality") // this very one
  private void takeErrors(int rank) {
    Errors of = ranks.get(rank).errors();
    for (Throwable error = of.take(); error != null; error = of.take()) {
      if (error != planted) {
        throw new AssertionError("rank " + rank, error);
      }
      contained++;
    }
  }

  private boolean isUnderWay(Step step) {
    return !channels.get(step).isEmpty();
  }

  private void deliver(Step step) {
    Packet packet = channels.get(step).remove();
    if (dead[step.to] || dead[step.from]) {
      return;
    }
    byte[] all = new byte[packet.header.length + packet.body.length];
    System.arraycopy(packet.header, 0, all, 0, packet.header.length);
    System.arraycopy(packet.body, 0, all, packet.header.length, packet.body.length);
    boolean sound = true;
    try {
      sound =
          ranks
              .get(step.to)
              .onMessage(
                  step.from, step.channel, MemorySegment.ofArray(all).asReadOnly(), 0, all.length);
    } catch (AssertionError e) {
      ranks.get(step.to).errors().add(e); // as whoever polls does
      takeErrors(step.to);
    }
    if (!sound && !anyDead()) {
      throw new AssertionError("dropped: " + step);
    }
  }

  private boolean anyDead() {
    for (boolean each : dead) {
      if (each) {
        return true;
      }
    }
    return false;
  }

  private void place(Placement put) {
    if (dead[put.from]) {
      return;
    }
    MemorySegment region = regions.get(put.key);
    if (region == null || dead[put.to]) {
      put.done.onDone(dead[put.to] ? "no peer" : "no region", !dead[put.to]);
      return;
    }
    try {
      MemorySegment.copy(MemorySegment.ofArray(put.bytes), 0, region, put.target, put.bytes.length);
    } catch (IllegalStateException e) { // its arena was closed, and so is the region
      put.done.onDone("no region", true);
      return;
    }
    boolean unused = ranks.get(put.to).onPlaced(put.from, put.receiveId, put.bytes.length);
    put.done.onDone(null, false);
  }

  /** Everything that can happen does. */
  public void settle() {
    long steps = 0;
    while (step()) {
      if (++steps > 5_000_000) {
        throw new AssertionError("no end of it");
      }
    }
  }

  /** A rank leaves: what it has sent comes, and then all others are told. */
  public void leave(int rank) {
    for (Step step : used) {
      while (step.from == rank && isUnderWay(step)) {
        deliver(step);
      }
    }
    dead[rank] = true;
    for (int other = 0; other < ranks.size(); other++) {
      if (other != rank && !dead[other]) {
        Failure failure = new Failure(Failure.Kind.RANK_LEFT, rank, "rank " + rank + " left");
        ranks.get(other).onEnd(rank, failure);
        executions.get(other).onEnd(rank, failure);
      }
    }
  }

  /**
   * A rank dies, what was put into its memory fails, and then the others are told, one after the
   * other while they go on.
   */
  public void kill(int rank) {
    dead[rank] = true;
    for (Placement put : List.copyOf(placements)) {
      if (put.to == rank) {
        boolean unused = placements.remove(put);
        place(put);
      }
    }
    for (int i = 0; i < ranks.size(); i++) {
      if (!dead[i]) {
        int unused = ranks.get(i).progress();
        takeErrors(i);
      }
    }
    int first = random.nextInt(ranks.size());
    for (int i = 0; i < ranks.size(); i++) {
      int other = (first + i) % ranks.size();
      if (other != rank && !dead[other]) {
        for (int steps = random.nextInt(12); steps > 0; steps--) {
          boolean unused = step();
        }
        Failure failure = new Failure(Failure.Kind.RANK_ENDED, rank, "rank " + rank + " died");
        ranks.get(other).onEnd(rank, failure);
        executions.get(other).onEnd(rank, failure);
      }
    }
  }

  boolean isDead(int rank) {
    return dead[rank];
  }

  Limits limits() {
    return limits;
  }
}
