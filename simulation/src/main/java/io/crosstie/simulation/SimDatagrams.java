// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.datagram.IncomingDatagrams;
import io.crosstie.reliability.wire.EagerFrame;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The part of the application that sends datagrams, and is told those of others: each at most once,
 * as it left, from whom it was sent to, and not when the connection is over (R35).
 */
final class SimDatagrams {
  private static final String RULE = "15 datagrams";
  private static final long GAP_NS = 2_000_000;
  private static final int MOST_BYTES = 16 << 10;
  private static final int POLL_LIMIT = 32;

  /** A datagram. */
  static final class Sent {
    final Connection connection;
    final long seed;
    final int header;
    final int length;
    boolean told;

    Sent(Connection connection, long seed, int header, int length) {
      this.connection = connection;
      this.seed = seed;
      this.header = header;
      this.length = length;
    }

    @Override
    public String toString() {
      return "datagram of " + header + " and " + (length - header) + " B";
    }
  }

  private final Simulation simulation;
  private final SimProcess process;
  private final Map<Long, Sent> all;
  private final SplittableRandom random;
  private final MemorySegment memory = MemorySegment.ofArray(new byte[MOST_BYTES]);
  private final MemorySegment expected = MemorySegment.ofArray(new byte[MOST_BYTES]);
  private final Pieces pieces = new Pieces();
  private int left;
  private long nextNs;

  /**
   * @param all those that any process has sent, by what begins them
   */
  SimDatagrams(Simulation simulation, SimProcess process, Map<Long, Sent> all) {
    this.simulation = simulation;
    this.process = process;
    this.all = all;
    long seed = simulation.scenario().seed() ^ ~process.incarnation();
    this.random = new SplittableRandom(Bytes.mix(seed));
    this.left = 50 + random.nextInt(400);
    this.nextNs = simulation.clock().nowNs() + random.nextLong(5_000_000);
  }

  /** Whether any are sent in that scenario. */
  static boolean isIn(Scenario scenario) {
    return scenario.kind() != Scenario.Kind.RANKS && (Bytes.mix(scenario.seed() ^ 0xda7a) & 3) == 0;
  }

  long nextNs() {
    return left > 0 ? nextNs : Long.MAX_VALUE;
  }

  boolean isDone() {
    return left <= 0;
  }

  void close() {
    left = 0;
  }

  /** What has not left, or null. */
  static @Nullable String whatIsMissing(List<Connection> connections) {
    for (Connection c : connections) {
      if (c.state() == Connection.State.UP && !c.datagrams().areSent()) {
        return "datagrams to " + c.peerName() + " that have not left";
      }
    }
    return null;
  }

  /** After every step. */
  void check(List<Connection> connections) {
    for (Connection c : connections) {
      if (c.datagrams().bytesIn() > IncomingDatagrams.MOST_BYTES) {
        throw new Violation(RULE, process.name + " holds " + c.datagrams().bytesIn() + " B");
      }
    }
  }

  boolean poll(Connection connection) {
    return connection
            .datagrams()
            .poll(
                (segment, header, offset, length) ->
                    told(connection, segment, header, offset - header, header + length),
                POLL_LIMIT)
        > 0;
  }

  private void told(Connection on, MemorySegment segment, int header, long at, int length) {
    Sent sent = length < 8 ? null : all.get(segment.get(JAVA_LONG_UNALIGNED, at));
    if (sent == null || sent.length != length || sent.header != header) {
      throw new Violation(RULE, process.name + ": told what was not sent: " + sent);
    }
    if (sent.told) {
      throw new Violation(RULE, process.name + ": told twice: " + sent);
    }
    sent.told = true;
    if (on.peerId() != sent.connection.id()) {
      throw new Violation(RULE, process.name + ": told on another connection: " + sent);
    }
    if (on.state().isOver()) {
      throw new Violation(RULE, process.name + ": told when the connection was over: " + sent);
    }
    write(expected, sent.seed, length);
    if (MemorySegment.mismatch(segment, at, at + length, expected, 0, length) >= 0) {
      throw new Violation(RULE, process.name + ": not as it left: " + sent);
    }
  }

  private static void write(MemorySegment to, long seed, int length) {
    to.set(JAVA_LONG_UNALIGNED, 0, seed);
    Bytes.fill(to, 8, length - 8L, seed);
  }

  boolean step(Endpoint endpoint, List<Connection> connections) {
    long nowNs = simulation.clock().nowNs();
    if (left <= 0 || nowNs < nextNs) {
      return false;
    }
    nextNs = nowNs + random.nextLong(GAP_NS);
    Connection to = null;
    for (Connection c : connections) {
      if (c.state() == Connection.State.UP && (to == null || random.nextBoolean())) {
        to = c;
      }
    }
    if (to == null) {
      left -= random.nextInt(4) == 0 ? 1 : 0; // whoever it is may never come
      return false;
    }
    boolean any = false;
    for (int burst = random.nextInt(8) == 0 ? 60 : 1 + random.nextInt(3); burst > 0; burst--) {
      left--;
      any |= offer(to);
    }
    if (any) {
      boolean unused = endpoint.signal(to, to.datagrams().signal());
    }
    return any;
  }

  private boolean offer(Connection to) {
    int longest = to.datagrams().longest();
    if (longest < 8) {
      return false;
    }
    int length = random.nextInt(8) == 0 ? longest : 8 + random.nextInt(longest - 7);
    int header = random.nextInt(3) == 0 ? 1 + random.nextInt(EagerFrame.MAX_HEADER_LENGTH) : 0;
    header = Math.min(header, length);
    Sent sent = new Sent(to, random.nextLong(), header, length);
    write(memory, sent.seed, length);
    pieces.clear();
    if (header > 0) {
      pieces.add(memory, 0, header);
      pieces.headerLength(header);
    }
    pieces.add(memory, header, length - header);
    Sent unused = all.put(sent.seed, sent);
    long result = to.datagrams().offer(pieces);
    if (result <= 0) {
      all.remove(sent.seed);
      if (result != Status.BACK_PRESSURED) {
        throw new Violation(RULE, process.name + ": " + Status.name(result) + " for " + sent);
      }
    }
    return result > 0;
  }
}
