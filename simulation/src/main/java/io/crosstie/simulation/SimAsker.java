// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.region.ExportedRegion;
import io.crosstie.multirail.region.Request;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The part of the application that lets others read a region of its own and change words of it, and
 * does so with theirs. What is got has to be what lay there while the region was open; nothing is
 * written beside it, nor after it was told. Each operation on a word is done once, those of one
 * process in their order: after every step the words are compared with what was told of them.
 */
final class SimAsker {
  private static final int READ = 72 << 10;
  private static final int SHORT = 2 << 10;
  private static final int WORDS = 4;
  private static final int REGION = READ + 8 * WORDS;
  private static final int GUARD = 32;
  private static final int REMEMBERED = 8;
  private static final long GAP_NS = 2_000_000;

  /** What is in memory that was got to, once that was told. */
  private static final byte OTHER_USE = 0x5a;

  private static final MemorySegment AFTERWARDS =
      MemorySegment.ofArray(new byte[SHORT + 2 * GUARD]).fill(OTHER_USE);

  // What the words are for.
  private static final int ADDED = 0; // and 1
  private static final int SWAPPED = 2;
  private static final int COMPARED = 3;

  /** What a process has exported. */
  private static final class Offered {
    final String owner;
    final long incarnation;
    final MemorySegment memory = Arena.ofAuto().allocate(REGION, 64);
    final MemorySegment original = Arena.ofAuto().allocate(READ, 64);
    final long[] asked = new long[WORDS];
    final long[] done = new long[WORDS];
    final long[] failed = new long[WORDS];
    final Set<Long> swapped = new HashSet<>();
    final Set<Long> swappedBefore = new HashSet<>();
    long compared; // what it was when somebody was told last
    long key;
    boolean closed;
    long hash;

    Offered(String owner, long incarnation) {
      this.owner = owner;
      this.incarnation = incarnation;
      Bytes.fill(memory, 0, READ, incarnation);
      original.copyFrom(memory.asSlice(0, READ));
    }

    long word(int i) {
      return memory.get(JAVA_LONG, READ + 8L * i);
    }

    /** Its memory is used for something else. */
    void close() {
      if (!closed) {
        closed = true;
        Bytes.fill(memory, 0, READ, ~incarnation);
        hash = Bytes.hash(memory, READ, REGION - READ);
      }
    }

    void check() {
      if (closed && Bytes.hash(memory, READ, REGION - READ) != hash) {
        throw new Violation("15 requests", owner + ": a region that is closed was changed");
      }
      for (int i = 0; i < WORDS; i++) {
        if (i != SWAPPED && (word(i) < done[i] || word(i) > asked[i] - failed[i])) {
          throw new Violation(
              "15 requests",
              "word "
                  + i
                  + " of "
                  + owner
                  + " is "
                  + word(i)
                  + ": asked "
                  + asked[i]
                  + " times, told "
                  + done[i]
                  + " times that it was done and "
                  + failed[i]
                  + " that it was not");
        }
      }
    }
  }

  private record Stream(Connection connection, Offered to, int word) {}

  /** One request. */
  private final class Asked extends Request {
    final Offered of;
    final Connection connection;
    final int kind;
    final int word;
    final long sourceOffset;
    final MemorySegment around;
    final long value;
    final int expectedReason;
    final long index = ++count;
    boolean done;

    /** Bytes. */
    Asked(
        Offered of,
        Connection connection,
        long key,
        long at,
        MemorySegment around,
        int expectedReason) {
      super(key, at, around, GUARD, around.byteSize() - 2 * GUARD);
      this.of = of;
      this.connection = connection;
      this.kind = PlacedKind.GET;
      this.word = -1;
      this.sourceOffset = at;
      this.around = around;
      this.value = 0;
      this.expectedReason = expectedReason;
    }

    /** An operation on a word. */
    Asked(
        int kind,
        Offered of,
        Connection connection,
        int word,
        long first,
        long value,
        int expectedReason) {
      super(kind, of.key, READ + 8L * word, first, value);
      this.of = of;
      this.connection = connection;
      this.kind = kind;
      this.word = word;
      this.sourceOffset = 0;
      this.around = MemorySegment.NULL;
      this.value = kind == PlacedKind.COMPARE_AND_SET ? first : value;
      this.expectedReason = expectedReason;
    }

    @Override
    protected void onAnswer(int reason, long before, @Nullable String why) {
      if (done) {
        throw new Violation("15 requests", this + ": told twice");
      }
      done = true;
      boolean isLost = connection.state() != Connection.State.UP;
      boolean sound =
          (reason == 0) == (why == null)
              && (reason == expectedReason
                  || (of.closed && reason == MessageRefusedFrame.NO_REGION)
                  || (isLost && reason != 0));
      if (!sound) {
        throw new Violation("15 requests", this + ": reason " + reason + ", error " + why);
      }
      if (kind == PlacedKind.GET) {
        onGot(reason);
      } else {
        onOperated(reason, before);
      }
    }

    private void onGot(int reason) {
      long length = around.byteSize() - 2 * GUARD;
      for (int i = 0; i < GUARD; i++) {
        if (around.get(JAVA_BYTE, i) != 0 || around.get(JAVA_BYTE, GUARD + length + i) != 0) {
          throw new Violation("15 requests", this + ": written beside its place");
        }
      }
      if (reason == 0) {
        if (of.original.asSlice(sourceOffset, length).mismatch(around.asSlice(GUARD, length))
            >= 0) {
          throw new Violation("15 requests", this + ": what was got never lay there");
        }
      }
      around.fill(OTHER_USE);
      if (length <= SHORT) {
        told.add(this);
      }
      if (told.size() > REMEMBERED) {
        told.removeFirst();
      }
    }

    private void onOperated(int reason, long before) {
      boolean isKnown = reason == 0 || reason != MessageRefusedFrame.NOT_WANTED;
      boolean took = reason == 0 && (kind != PlacedKind.COMPARE_AND_SET || before == value);
      if (took) {
        of.done[word]++;
      } else if (isKnown) {
        of.failed[word]++;
      }
      if (reason != 0) {
        return;
      }
      if (kind == PlacedKind.SWAP) {
        boolean known = before == 0 || of.swapped.contains(before);
        if (!known || !of.swappedBefore.add(before)) {
          throw new Violation("15 requests", this + ": told " + before + ", twice or never there");
        }
      } else {
        if (kind == PlacedKind.COMPARE_AND_SET) {
          of.compared = took ? value + 1 : before;
        }
        inOrder(before);
      }
    }

    /** Operations of one connection on one word are done in the order of the calls. */
    private void inOrder(long before) {
      if (kind != PlacedKind.FETCH_ADD) {
        return;
      }
      TreeMap<Long, Long> known =
          streams.computeIfAbsent(new Stream(connection, of, word), s -> new TreeMap<>());
      Map.Entry<Long, Long> earlier = known.lowerEntry(index);
      Map.Entry<Long, Long> later = known.higherEntry(index);
      if ((earlier != null && earlier.getValue() >= before)
          || (later != null && later.getValue() <= before)) {
        throw new Violation("15 requests", this + ": done out of its turn, at " + before);
      }
      known.put(index, before);
    }

    @Override
    public String toString() {
      return "request " + index + " of kind " + kind + " from " + process.name + " to " + of.owner;
    }
  }

  private final Simulation simulation;
  private final SimProcess process;
  private final SplittableRandom random;
  private final Arena arena = Arena.ofShared();
  private final List<Offered> offered = new ArrayList<>();
  private final List<Asked> asked = new ArrayList<>();
  private final List<Asked> told = new ArrayList<>();
  private final Map<Stream, TreeMap<Long, Long>> streams = new HashMap<>();
  private long count;
  private int left;
  private long nextNs;

  SimAsker(Simulation simulation, SimProcess process) {
    this.simulation = simulation;
    this.process = process;
    long seed = simulation.scenario().seed() ^ process.incarnation();
    this.random = new SplittableRandom(Bytes.mix(seed ^ 0xa5c));
    this.left = 30 + random.nextInt(120);
    this.nextNs = simulation.clock().nowNs() + random.nextLong(5_000_000);
  }

  void export(Endpoint endpoint) {
    Offered made = new Offered(process.name, process.incarnation());
    int rights = ExportedRegion.GET | ExportedRegion.ATOMIC;
    ExportedRegion region = endpoint.regions().export(made.memory, rights, null, made);
    if (region != null) {
      made.key = region.key();
      offered.add(made);
    }
  }

  private @Nullable Offered open() {
    for (Offered each : offered) {
      if (!each.closed) {
        return each;
      }
    }
    return null;
  }

  long nextNs() {
    return left > 0 ? nextNs : Long.MAX_VALUE;
  }

  boolean isDone() {
    return left <= 0;
  }

  /** What is not answered, or null. */
  @Nullable String whatIsMissing() {
    for (Asked each : asked) {
      if (!each.done && each.connection.state() == Connection.State.UP) {
        return each + ": not answered";
      }
    }
    return null;
  }

  /** After every step. */
  void check() {
    for (Offered each : offered) {
      each.check();
    }
    for (Asked each : told) {
      if (each.around.mismatch(AFTERWARDS.asSlice(0, each.around.byteSize())) >= 0) {
        throw new Violation("15 requests", each + ": written to after it was told");
      }
    }
  }

  /** Asks for something, if it is time. */
  boolean step(Endpoint endpoint, List<Connection> connections) {
    long nowNs = simulation.clock().nowNs();
    if (left <= 0 || nowNs < nextNs) {
      return false;
    }
    nextNs = nowNs + random.nextLong(GAP_NS);
    if (random.nextInt(40) == 0) {
      Offered ends = open();
      if (ends != null) {
        endpoint.regions().close(ends.key);
        ends.close();
      }
      if (offered.size() > 3) {
        offered.removeFirst();
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
    Offered target = to == null ? null : targetOf(to);
    if (to == null || target == null) {
      left -= random.nextInt(4) == 0 ? 1 : 0; // whoever it is may never come
      return false;
    }
    ask(endpoint, to, random.nextBoolean() ? get(to, target) : operate(to, target));
    return true;
  }

  private @Nullable Offered targetOf(Connection connection) {
    for (SimProcess other : simulation.processes()) {
      SimApp app = other.app();
      if (app != null
          && other.isAlive()
          && other.name.equals(connection.peerName())
          && other.incarnation() == connection.peerIncarnation()) {
        SimPlacer placer = app.placer();
        return placer == null ? null : placer.asker().open();
      }
    }
    return null;
  }

  private Asked get(Connection to, Offered target) {
    long length = 1L + random.nextInt(random.nextInt(8) == 0 ? READ : SHORT);
    long at = random.nextLong(READ - length + 1);
    MemorySegment around = arena.allocate(length + 2 * GUARD, 8);
    return switch (random.nextInt(12)) {
      case 0 -> new Asked(target, to, target.key ^ 1, at, around, MessageRefusedFrame.NO_REGION);
      case 1 -> {
        long beyond = random.nextBoolean() ? REGION - length + 1 : random.nextLong() >>> 2;
        int reason = MessageRefusedFrame.OUT_OF_REGION;
        yield new Asked(target, to, target.key, beyond, around, reason);
      }
      default -> new Asked(target, to, target.key, at, around, 0);
    };
  }

  private Asked operate(Connection to, Offered target) {
    int word = random.nextInt(WORDS);
    return switch (word) {
      case SWAPPED -> {
        long value = random.nextLong() | 1;
        target.swapped.add(value);
        yield new Asked(PlacedKind.SWAP, target, to, word, value, 0, 0);
      }
      case COMPARED ->
          new Asked(
              PlacedKind.COMPARE_AND_SET,
              target,
              to,
              word,
              target.compared,
              target.compared + 1,
              0);
      default -> new Asked(PlacedKind.FETCH_ADD, target, to, word + ADDED, 1, 0, 0);
    };
  }

  private void ask(Endpoint endpoint, Connection to, Asked request) {
    ChannelCore on = to.placement().channelOf(request);
    long result = to.placement().ask(on, request);
    if (result > 0) {
      left--;
      asked.add(request);
      if (request.word >= 0) {
        request.of.asked[request.word]++;
      }
      boolean unused = endpoint.offered(to, on);
    } else if (result != Status.BACK_PRESSURED && result != Status.CONNECTING) {
      left--;
    }
  }

  /** Ends all regions. */
  void close(Endpoint endpoint) {
    left = 0;
    for (Offered each : offered) {
      endpoint.regions().close(each.key);
      each.close();
    }
  }

  /** The process is gone: what is under way may come, or not. */
  void dispose() {
    simulation.closeLater(arena);
  }
}
