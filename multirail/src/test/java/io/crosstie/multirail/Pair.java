// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Two endpoints joined by ports in memory: "left" opens, "right" accepts. */
public final class Pair {
  /** One endpoint and what it told. */
  public static final class Side implements EndpointListener {
    final Endpoint endpoint;
    final List<NodeEvent> events = new ArrayList<>();
    final List<Connection> connections = new ArrayList<>();
    Consumer<ChannelCore> onNews = channel -> {};

    Side(EndpointConfig config, long seed) {
      this(config, seed, () -> 0, EstimatedCompletion::new); // the clock is never ahead
    }

    Side(
        EndpointConfig config,
        long seed,
        LongSupplier rawClock,
        Supplier<PathScheduler> schedulers) {
      endpoint = new Endpoint(config, new Random(seed), rawClock, schedulers, this);
    }

    /** With a pool of the test's own. */
    Side(EndpointConfig config, long seed, BufferPool pool) {
      endpoint =
          new Endpoint(config, new Random(seed), () -> 0, EstimatedCompletion::new, this, pool);
    }

    @Override
    public void onEvent(NodeEvent event) {
      events.add(event);
    }

    @Override
    public void onConnection(Connection connection) {
      connections.add(connection);
    }

    @Override
    public void onChannel(Connection connection, ChannelCore channel) {
      onNews.accept(channel);
    }

    boolean saw(Class<? extends NodeEvent> type) {
      return events.stream().anyMatch(type::isInstance);
    }

    boolean saw(RailState state) {
      return events.stream().anyMatch(e -> e instanceof NodeEvent.RailChanged c && c.to() == state);
    }
  }

  final MemoryNet net = new MemoryNet();
  final Side left;
  Side right;
  final int rails;
  boolean leftRuns = true;
  boolean rightRuns = true;
  long delivered;

  Pair(int rails) throws RailException {
    this(0, Collections.nCopies(rails, "mem://"));
  }

  /** With another scheduler, and a clock that may be ahead of the duty cycle, on the left side. */
  Pair(int rails, LongSupplier leftClock, Supplier<PathScheduler> leftSchedulers)
      throws RailException {
    this(0, Collections.nCopies(rails, "mem://"), leftClock, leftSchedulers, false);
  }

  /** Over lossless rails. */
  static Pair lossless(int rails) throws RailException {
    return new Pair(0, Collections.nCopies(rails, "mem://ring"));
  }

  /** Over one rail for each prefix; a peer is lost after so much silence. */
  static Pair within(long peerTimeoutNs, String... prefixes) throws RailException {
    return new Pair(
        0,
        List.of(prefixes),
        () -> 0,
        EstimatedCompletion::new,
        false,
        config -> config.peerTimeoutNs(peerTimeoutNs));
  }

  /**
   * Over a rail of shared memory, which is the first, and lossy ones.
   *
   * @param oneThread whether the endpoints may rely on all calls coming from one thread
   */
  static Pair shared(int lossy, boolean oneThread) throws RailException {
    List<String> prefixes = new ArrayList<>(Collections.nCopies(lossy, "mem://"));
    prefixes.addFirst("mem://ring-shared");
    return new Pair(0, prefixes, () -> 0, EstimatedCompletion::new, oneThread);
  }

  /** The same, and short messages over shared memory go the way of all others. */
  static Pair sharedWithoutShortcuts(boolean oneThread) throws RailException {
    return new Pair(
        0,
        List.of("mem://ring-shared"),
        () -> 0,
        EstimatedCompletion::new,
        oneThread,
        config -> config.shortcuts(false));
  }

  /** The same with the lossy rails first: what arrived there is taken in first. */
  static Pair sharedLast(int lossy, boolean oneThread) throws RailException {
    List<String> prefixes = new ArrayList<>(Collections.nCopies(lossy, "mem://"));
    prefixes.addLast("mem://ring-shared");
    return new Pair(0, prefixes, () -> 0, EstimatedCompletion::new, oneThread);
  }

  /** Over a lossless rail, which is the first, and a lossy one. */
  static Pair mixed() throws RailException {
    return new Pair(0, List.of("mem://ring", "mem://"));
  }

  /**
   * With a bound, the right side takes no longer messages, and one that is too long is offered
   * first.
   */
  Pair(int rails, long rightMaxBytes) throws RailException {
    this(rightMaxBytes, Collections.nCopies(rails, "mem://"));
  }

  private Pair(long rightMaxBytes, List<String> prefixes) throws RailException {
    this(rightMaxBytes, prefixes, () -> 0, EstimatedCompletion::new, false);
  }

  private Pair(
      long rightMaxBytes,
      List<String> prefixes,
      LongSupplier leftClock,
      Supplier<PathScheduler> leftSchedulers,
      boolean oneThread)
      throws RailException {
    this(rightMaxBytes, prefixes, leftClock, leftSchedulers, oneThread, UnaryOperator.identity());
  }

  private Pair(
      long rightMaxBytes,
      List<String> prefixes,
      LongSupplier leftClock,
      Supplier<PathScheduler> leftSchedulers,
      boolean oneThread,
      UnaryOperator<EndpointConfig.Change> change)
      throws RailException {
    rails = prefixes.size();
    left = new Side(config("left", 1, change), 1, leftClock, leftSchedulers);
    EndpointConfig config = config("right", 2, change);
    right =
        new Side(
            rightMaxBytes == 0 ? config : config.change().maxMessageBytes(rightMaxBytes).build(),
            2);
    if (oneThread) {
      left.endpoint.setSingleThreaded();
      right.endpoint.setSingleThreaded();
    }
    for (int i = 0; i < rails; i++) {
      left.endpoint.addPort(net.opener(prefixes.get(i) + i + ".left"), net.nowNs);
      right.endpoint.addPort(net.opener(prefixes.get(i) + i + ".right"), net.nowNs);
    }
    left.endpoint.connect(
        "right", List.of(new RailAddress(prefixes.getFirst() + "0.right")), net.nowNs);
    if (rightMaxBytes > 0) {
      send(10);
      send((int) rightMaxBytes + 1);
      send(10);
    }
    assertTrue(
        run(2_000_000_000L, () -> active(left) == rails && active(right) == rails),
        () -> left.events + " " + left.connections.getFirst().problem());
  }

  private static EndpointConfig config(
      String name, long incarnation, UnaryOperator<EndpointConfig.Change> change) {
    return change.apply(EndpointConfig.defaults(name, -1, incarnation).change()).build();
  }

  static int active(Side side) {
    return side.connections.isEmpty()
        ? 0
        : (int)
            side.connections.getLast().rails().stream()
                .filter(r -> r.state() == RailState.ACTIVE)
                .count();
  }

  Connection connection() {
    return left.connections.getLast();
  }

  long counter(Side side, int rail, RailCounter counter) {
    return side.connections.getLast().rails().get(rail).counters().get(counter);
  }

  /** What a failed assertion wants to know. */
  String describe() {
    StringBuilder text = new StringBuilder("delivered " + delivered + " at " + net.nowNs + "\n");
    for (Side side : List.of(left, right)) {
      side.events.forEach(e -> text.append(e).append('\n'));
      for (ConnectionRails.RailInfo r : side.connections.getLast().rails()) {
        text.append(r.id()).append(' ').append(r.state());
        for (RailCounter c : RailCounter.values()) {
          if (r.counters().get(c) != 0) {
            text.append(' ').append(c).append('=').append(r.counters().get(c));
          }
        }
        text.append('\n');
      }
    }
    return text.toString();
  }

  /** Steps of 50 microseconds until the condition holds; false if it does not within that time. */
  boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 50_000) {
      if (leftRuns) {
        left.endpoint.poll(net.nowNs);
      }
      if (rightRuns) {
        right.endpoint.poll(net.nowNs);
        take();
      }
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  void run(long forNs) {
    run(forNs, () -> false);
  }

  long send(int length) {
    MemorySegment m = Arena.ofAuto().allocate(Math.max(1, length));
    Connection c = connection();
    ChannelCore channel = c.channel(7, Priority.NORMAL);
    long next = channel.offeredSequence() + 1;
    for (int i = 0; i < length; i++) {
      m.set(ValueLayout.JAVA_BYTE, i, (byte) (next + i));
    }
    long seq = channel.offer(m, 0, length);
    if (seq > 0) {
      boolean unused = left.endpoint.offered(c, channel);
    }
    return seq;
  }

  private void take() {
    for (Connection c : right.connections) {
      ChannelCore channel = c.existingChannel(7);
      if (channel != null) {
        int n =
            channel.poll(
                (segment, offset, length, seq) -> {
                  for (long i = 0; i < length; i += 97) {
                    assertEquals((byte) (seq + i), segment.get(ValueLayout.JAVA_BYTE, offset + i));
                  }
                  delivered++;
                  return MessageHandler.Action.CONTINUE;
                },
                100);
        if (n > 0) {
          boolean unused = right.endpoint.signal(c, channel);
        }
      }
    }
  }
}
