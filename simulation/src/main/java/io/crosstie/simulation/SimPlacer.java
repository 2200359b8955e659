// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.multirail.region.Notifications;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.SinglePut;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The part of the application that exports a region, and puts into those of others. Each put has a
 * place of its own as long as it is under way; all other bytes, within the region and around it,
 * are compared with what they have to be after every step (R27, R28).
 */
final class SimPlacer {
  /** Bytes around a region that nobody may write to. */
  private static final int GUARD = 64;

  private static final int SHORT_PLACES = 8;
  private static final int SHORT = 1 << 10;
  private static final int PLACES = 11;
  private static final int MOST_OF_SHORT = SinglePut.MAX_PAYLOAD / 2;
  private static final int LONG = 14 << 10;
  private static final int REGION = SHORT_PLACES * SHORT + (PLACES - SHORT_PLACES) * LONG;
  private static final long GAP_NS = 1_500_000;

  private static long placeOf(int place) {
    return place < SHORT_PLACES
        ? (long) place * SHORT
        : (long) SHORT_PLACES * SHORT + (long) (place - SHORT_PLACES) * LONG;
  }

  private static int lengthOf(int place) {
    return place < SHORT_PLACES ? SHORT : LONG;
  }

  /** What a process has exported, and what has to be in it. */
  static final class Exported {
    final String owner;
    final long incarnation;
    final MemorySegment around = Arena.ofAuto().allocate(REGION + 2 * GUARD, 64);
    final MemorySegment memory = around.asSlice(GUARD, REGION);
    final MemorySegment expected = Arena.ofAuto().allocate(REGION + 2 * GUARD, 64);
    private final @Nullable Sent[] under = new Sent[PLACES];
    final boolean[] undefined = new boolean[PLACES];
    private final Map<Long, Sent> byNotification = new HashMap<>();
    long key;
    boolean closed;

    Exported(String owner, long incarnation) {
      this.owner = owner;
      this.incarnation = incarnation;
      Bytes.fill(around, 0, around.byteSize(), incarnation);
      expected.copyFrom(around);
    }

    /** The bytes of a put have to be there, and stay. */
    private void settle(Sent put, String when) {
      long at = GUARD + placeOf(put.place);
      if (!closed) {
        Bytes.fill(expected, at, put.length, put.seed);
        undefined[put.place] = false;
      }
      if (around.asSlice(at, put.length).mismatch(expected.asSlice(at, put.length)) >= 0) {
        throw new Violation("14 regions", put + ": " + when + ", and it is not in its place");
      }
    }

    void check() {
      long from = 0;
      for (int place = 0; place < PLACES; place++) {
        if (undefined[place] && !closed) {
          compare(from, GUARD + placeOf(place));
          from = GUARD + placeOf(place) + lengthOf(place);
        }
      }
      compare(from, around.byteSize());
    }

    private void compare(long from, long to) {
      if (from < to) {
        long wrong = around.asSlice(from, to - from).mismatch(expected.asSlice(from, to - from));
        if (wrong >= 0) {
          throw new Violation(
              "14 regions",
              owner
                  + ": byte "
                  + (from + wrong - GUARD)
                  + " of its region was written, which nothing under way has"
                  + (closed ? "; it is closed" : ""));
        }
      }
    }
  }

  /** A put. */
  static final class Sent {
    final Exported to;
    final Connection connection;
    final String from;
    final int place;
    final long length;
    final long seed;

    /** Why it has to be refused; 0 if it may not be. */
    final int reason;

    final boolean notifies;
    boolean told;
    boolean done;
    boolean failed;

    Sent(
        Exported to,
        Connection connection,
        String from,
        int place,
        long length,
        long seed,
        int reason,
        boolean notifies) {
      this.to = to;
      this.connection = connection;
      this.from = from;
      this.place = place;
      this.length = length;
      this.seed = seed;
      this.reason = reason;
      this.notifies = notifies;
    }

    @Override
    public String toString() {
      return "put of " + length + " B from " + from + " to " + to.owner + ", place " + place;
    }
  }

  private final SimAsker asker;
  private final Simulation simulation;
  private final SimProcess process;
  private final SplittableRandom random;
  private final Arena arena = Arena.ofShared();
  private final List<Sent> sent = new ArrayList<>();

  /** Messages that are not under way. */
  private final ArrayDeque<Reused> free = new ArrayDeque<>();

  private final List<Exported> exported = new ArrayList<>();
  private int left;
  private long nextNs;
  private int flushes;

  SimPlacer(Simulation simulation, SimProcess process) {
    this.asker = new SimAsker(simulation, process);
    this.simulation = simulation;
    this.process = process;
    long seed = simulation.scenario().seed() ^ process.incarnation();
    this.random = new SplittableRandom(Bytes.mix(seed));
    this.left = 40 + random.nextInt(160);
    this.nextNs = simulation.clock().nowNs() + random.nextLong(5_000_000);
  }

  /** Whether anything is placed in that scenario. */
  static boolean isIn(Scenario scenario) {
    return scenario.kind() != Scenario.Kind.RANKS
        && (Bytes.mix(scenario.seed() ^ 0x91ace) & 3) == 0;
  }

  void start(Endpoint endpoint) {
    export(endpoint);
    asker.export(endpoint);
  }

  /** The part that asks for what is in regions. */
  SimAsker asker() {
    return asker;
  }

  private void export(Endpoint endpoint) {
    Exported made = new Exported(process.name, process.incarnation());
    ExportedRegion region = endpoint.regions().export(made.memory, ExportedRegion.PUT, null, made);
    if (region != null) {
      made.key = region.key();
      exported.add(made);
    }
  }

  private @Nullable Exported open() {
    for (Exported each : exported) {
      if (!each.closed) {
        return each;
      }
    }
    return null;
  }

  long nextNs() {
    return Math.min(left > 0 ? nextNs : Long.MAX_VALUE, asker.nextNs());
  }

  boolean isDone() {
    return left <= 0 && asker.isDone();
  }

  /** What is not complete, or null. */
  @Nullable String whatIsMissing() {
    for (Sent put : sent) {
      if (!put.done && put.connection.state() == Connection.State.UP) {
        return put + ": not complete";
      }
    }
    return flushes == 0
        ? asker.whatIsMissing()
        : process.name + ": " + flushes + " flushes not told";
  }

  /** After every step. */
  void check() {
    for (Exported each : exported) {
      each.check();
    }
    asker.check();
  }

  boolean poll(Connection connection) {
    return connection
            .placement()
            .poll(
                (region, offset, length, bytes, at, count) ->
                    onNotification((Exported) region.owner(), offset, length, bytes, at, count),
                16)
        > 0;
  }

  private void onNotification(
      Exported in, long offset, long length, MemorySegment bytes, long at, int count) {
    Sent put = count < 8 ? null : in.byNotification.get(bytes.get(JAVA_LONG_UNALIGNED, at));
    if (put == null
        || put.told
        || put.to != in
        || offset != placeOf(put.place)
        || length != put.length) {
      throw new Violation("14 regions", process.name + ": told what was not put: " + put);
    }
    put.told = true;
    if (!put.failed) {
      in.settle(put, "told");
      free(put);
    }
  }

  /** Its place is another's once both sides are through with it. */
  private static void free(Sent put) {
    if (put.done && put.told == put.notifies && put.to.under[put.place] == put) {
      put.to.under[put.place] = null;
    }
  }

  boolean step(Endpoint endpoint, List<Connection> connections) {
    boolean asked = asker.step(endpoint, connections);
    return put(endpoint, connections) || asked;
  }

  private boolean put(Endpoint endpoint, List<Connection> connections) {
    long nowNs = simulation.clock().nowNs();
    if (left <= 0 || nowNs < nextNs) {
      return false;
    }
    nextNs = nowNs + random.nextLong(GAP_NS);
    if (random.nextInt(40) == 0) {
      Exported ends = open();
      if (ends != null) {
        endpoint.regions().close(ends.key);
        ends.closed = true;
        ends.expected.copyFrom(ends.around);
      }
      if (exported.size() > 3) {
        exported.removeFirst();
      }
      export(endpoint);
      return true;
    }
    Connection to = null;
    for (Connection c : connections) {
      if (c.state() == Connection.State.UP && (to == null || random.nextBoolean())) {
        to = c;
      }
    }
    Exported target = to == null ? null : targetOf(to);
    if (to == null || target == null) {
      left -= random.nextInt(4) == 0 ? 1 : 0; // whoever it is may never come
      return false;
    }
    boolean unused = put(endpoint, to, target);
    if (random.nextInt(6) == 0) {
      flush(endpoint, to);
    }
    return true;
  }

  private @Nullable Exported targetOf(Connection connection) {
    for (SimProcess other : simulation.processes()) {
      SimApp app = other.app();
      if (app != null
          && other.isAlive()
          && other.name.equals(connection.peerName())
          && other.incarnation() == connection.peerIncarnation()) {
        SimPlacer placer = app.placer();
        return placer == null ? null : placer.open();
      }
    }
    return null;
  }

  /** Is another one once it was told, as those of applications are. */
  private final class Reused extends Put {
    private @Nullable Sent underWay;

    Reused() {
      super(new byte[Notifications.MAX_BYTES]);
    }

    void set(Sent put, long key, long at, MemorySegment source, byte[] note) {
      underWay = put;
      set(PlacedKind.PUT, key, at, source, 0, put.length);
      setNotification(note);
    }

    void giveBack() {
      underWay = null;
      set(PlacedKind.PUT, 0, 0, MemorySegment.NULL, 0, 0);
      free.addLast(this);
    }

    @Override
    public void onComplete(long sequence, @Nullable String error) {
      Sent put = underWay;
      if (put == null) {
        throw new Violation("14 regions", "a put that is not under way was told");
      }
      int reason = reason();
      MemorySegment source = source();
      giveBack();
      completed(put, reason, error);
      Bytes.fill(source, 0, put.length, ~put.seed); // nobody may read it any more
    }
  }

  private boolean put(Endpoint endpoint, Connection to, Exported target) {
    int place = random.nextInt(PLACES);
    int kind = random.nextInt(10);
    int reason =
        kind == 0
            ? MessageRefusedFrame.NO_REGION
            : kind == 1 ? MessageRefusedFrame.OUT_OF_REGION : 0;
    if (reason == 0 && target.under[place] != null) {
      return false;
    }
    // a third of those to short places are as short as those that have ways of their own
    boolean single = place < SHORT_PLACES && random.nextInt(3) == 0;
    int longest = single ? MOST_OF_SHORT : lengthOf(place);
    long length = 1L + random.nextInt(longest);
    boolean notifies = random.nextBoolean();
    long seed = random.nextLong();
    Sent put = new Sent(target, to, process.name, place, length, seed, reason, notifies);
    MemorySegment source = arena.allocate(length, 8);
    Bytes.fill(source, 0, length, seed);
    long at = placeOf(place);
    long key = target.key;
    if (reason == MessageRefusedFrame.NO_REGION) {
      key = random.nextLong() | 1;
    } else if (reason != 0) {
      at = random.nextBoolean() ? REGION - length + 1 : random.nextLong() >>> 2;
    }
    byte[] note = new byte[notifies ? 8 + random.nextInt(25) : 0];
    if (notifies) {
      MemorySegment.ofArray(note).set(JAVA_LONG_UNALIGNED, 0, seed);
    }
    Reused message = free.isEmpty() ? new Reused() : free.removeLast();
    message.set(put, key, at, source, note);
    ChannelCore on = to.placement().channelOf(message);
    long result = to.placement().put(on, message);
    if (result > 0) {
      left--;
      sent.add(put);
      if (reason == 0) {
        target.under[place] = put;
        target.undefined[place] = true;
        target.byNotification.put(seed, put);
      }
      boolean unused = endpoint.offered(to, on); // it may be told there before this returns
    } else {
      message.giveBack();
      left -= result != Status.BACK_PRESSURED && result != Status.CONNECTING ? 1 : 0;
    }
    return result > 0;
  }

  private boolean isThere(Sent put) {
    return !simulation.isGone(put.to.owner, put.to.incarnation);
  }

  private void completed(Sent put, int reason, @Nullable String error) {
    if (put.done) {
      throw new Violation("14 regions", put + ": told twice");
    }
    put.done = true;
    put.failed = error != null;
    boolean sound =
        reason == 0
            ? error != null || put.reason == 0
            : error != null
                && (reason == put.reason
                    || (put.to.closed && reason == MessageRefusedFrame.NO_REGION));
    if (!sound) {
      throw new Violation("14 regions", put + ": reason " + reason + ", error " + error);
    }
    if (put.reason == 0 && error == null && isThere(put) && !put.told) {
      put.to.settle(put, "complete");
    }
    if (error == null) {
      free(put);
    }
  }

  private void flush(Endpoint endpoint, Connection to) {
    List<Sent> before = new ArrayList<>();
    for (Sent put : sent) {
      if (!put.done && put.connection == to && put.reason == 0) {
        before.add(put);
      }
    }
    flushes++;
    to.placement()
        .flush(
            error -> {
              flushes--;
              for (Sent put : before) {
                if (error == null
                    && !put.failed
                    && isThere(put)
                    && !put.to.closed
                    && put.to.under[put.place] == put) {
                  put.to.settle(put, "flushed");
                }
              }
            },
            channel -> endpoint.signal(to, channel));
  }

  /** Ends all regions. */
  void close(Endpoint endpoint) {
    left = 0;
    asker.close(endpoint);
    for (Exported each : exported) {
      endpoint.regions().close(each.key);
      if (!each.closed) {
        each.closed = true;
        each.expected.copyFrom(each.around);
      }
    }
  }

  /** The process is gone: what is under way may come, or not. */
  void dispose() {
    simulation.closeLater(arena);
    asker.dispose();
  }
}
