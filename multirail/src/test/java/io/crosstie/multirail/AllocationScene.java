// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.port.PortOpener;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.multirail.schedule.PathScheduler;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * One application sends numbered messages to another, over two rails of which one is broken and
 * opened again meanwhile, while an allocation of the core fails somewhere. Whenever a connection
 * ends it is told so, and sends what it does not know to be accepted by the next one.
 */
public final class AllocationScene {
  private static final int MESSAGES = 18;
  private static final int[] LENGTHS = {24, 32, 300, 5_000, 70_000, 200_000};
  private static final long SOON_NS = 200_000_000L;
  private static final long END_NS = 90_000_000_000L;

  /** One connection of the sender: which message had which sequence. */
  private static final class Life {
    final Connection connection;
    final List<Integer> ids = new ArrayList<>();
    long heard;

    Life(Connection connection) {
      this.connection = connection;
    }
  }

  private final MemoryNet net = new MemoryNet();
  private final UnaryOperator<PortOpener> openers;
  private final Listening left;
  private final Listening right;
  private final LongSupplier clock = () -> net.nowNs;
  private final List<Life> lives = new ArrayList<>();
  private final Map<Integer, Integer> delivered = new HashMap<>();
  private final List<String> prefixes;
  private int nextId = 1;
  private boolean broken;
  private int escaped;

  /** One side, whose scheduler and listener may throw. */
  private static final class Listening implements EndpointListener {
    final Endpoint endpoint;
    final List<NodeEvent> events = new ArrayList<>();
    final List<Connection> connections = new ArrayList<>();
    private final Consumer<String> calls;

    Listening(String name, long number, Consumer<String> calls) {
      this.calls = calls;
      endpoint =
          new Endpoint(
              EndpointConfig.defaults(name, -1, number),
              new Random(number),
              () -> 0,
              () -> scheduler(calls),
              this);
    }

    private static PathScheduler scheduler(Consumer<String> calls) {
      PathScheduler real = new EstimatedCompletion();
      PathScheduler own =
          new PathScheduler() {
            @Override
            public int select(RailsView rails, long bytes, long backlog, int avoid, long nowNs) {
              calls.accept("scheduler.select");
              return real.select(rails, bytes, backlog, avoid, nowNs);
            }

            @Override
            public void onSent(int rail, long payloadBytes) {
              calls.accept("scheduler.onSent");
              real.onSent(rail, payloadBytes);
            }
          };
      return own;
    }

    @Override
    public void onEvent(NodeEvent event) {
      calls.accept("listener.onEvent");
      events.add(event);
    }

    @Override
    public void onConnection(Connection connection) {
      calls.accept("listener.onConnection");
      connections.add(connection);
    }

    @Override
    public void onChannel(Connection connection, ChannelCore channel) {
      calls.accept("listener.onChannel");
    }

    int active() {
      return (int)
          connections.getLast().rails().stream()
              .filter(rail -> rail.state() == RailState.ACTIVE)
              .count();
    }
  }

  private AllocationScene(int kind, Consumer<String> calls, UnaryOperator<PortOpener> openers) {
    this.openers = openers;
    left = new Listening("left", 1, calls);
    right = new Listening("right", 2, calls);
    prefixes =
        switch (kind) {
          case 0 -> List.of("mem://", "mem://");
          case 1 -> List.of("mem://ring", "mem://");
          default -> List.of("mem://", "mem://ring-shared");
        };
    if (kind == 2) {
      left.endpoint.setSingleThreaded();
      right.endpoint.setSingleThreaded();
    }
  }

  /**
   * Runs it.
   *
   * @return how many errors escaped a duty cycle
   */
  public static int run(int kind) throws RailException {
    return run(kind, call -> {}, opener -> opener);
  }

  /**
   * Runs it with drivers, schedulers and listeners that may throw.
   *
   * @param calls told of each call of a scheduler or listener
   * @param openers makes faulty ports of those of the test
   */
  static int run(int kind, Consumer<String> calls, UnaryOperator<PortOpener> openers)
      throws RailException {
    AllocationScene scene = new AllocationScene(kind, calls, openers);
    scene.open();
    scene.run();
    scene.check();
    return scene.escaped;
  }

  static RuntimeException unchecked(Throwable thrown) {
    if (thrown instanceof Error error) {
      throw error;
    }
    return (RuntimeException) thrown;
  }

  private void open() throws RailException {
    for (int i = 0; i < prefixes.size(); i++) {
      left.endpoint.addPort(openers.apply(net.opener(prefixes.get(i) + i + ".left")), net.nowNs);
      right.endpoint.addPort(openers.apply(net.opener(prefixes.get(i) + i + ".right")), net.nowNs);
    }
    left.endpoint.connect(
        "right", List.of(new RailAddress(prefixes.getFirst() + "0.right")), net.nowNs);
  }

  private void run() {
    long begin = net.nowNs;
    while (!isThrough()) {
      long passed = net.nowNs - begin;
      if (passed > END_NS) {
        throw new AssertionError("it does not end: " + describe());
      }
      poll(left.endpoint);
      poll(right.endpoint);
      send();
      receive();
      if (nextId > MESSAGES / 2 && !broken) {
        broken = true;
        net.ports.get(prefixes.getFirst() + "0.left").failing = true;
      }
      net.nowNs += passed < SOON_NS ? 50_000 : 2_000_000;
    }
  }

  private void poll(Endpoint endpoint) {
    AllocationFaults.arm(true);
    try {
      endpoint.poll(clock, true);
    } catch (RuntimeException | Error e) { // as the engine does
      escaped++;
    } finally {
      AllocationFaults.arm(false);
    }
  }

  private void send() {
    if (left.connections.isEmpty()) {
      return;
    }
    Connection current = left.connections.getLast();
    if (lives.isEmpty() || lives.getLast().connection != current) {
      if (!lives.isEmpty()) {
        Life last = lives.getLast();
        nextId -= last.ids.size() - (int) accepted(last); // what may not have arrived
      }
      lives.add(new Life(current));
    }
    Life life = lives.getLast();
    if (current.state() != Connection.State.UP) {
      return;
    }
    for (int n = 0; n < 2 && nextId <= MESSAGES; n++) {
      int length = LENGTHS[nextId % LENGTHS.length];
      MemorySegment message = Arena.ofAuto().allocate(length);
      message.set(ValueLayout.JAVA_INT_UNALIGNED, 0, lives.size());
      message.set(ValueLayout.JAVA_INT_UNALIGNED, 4, life.ids.size() + 1);
      message.set(ValueLayout.JAVA_INT_UNALIGNED, 8, nextId);
      ChannelCore channel = current.channel(7, Priority.NORMAL);
      long seq = channel.offer(message, 0, length);
      if (seq <= 0) {
        return;
      }
      life.ids.add(nextId++);
      AllocationFaults.arm(true);
      try {
        boolean unused = left.endpoint.offered(current, channel);
      } catch (RuntimeException | Error e) {
        throw new AssertionError("an offer throws what is not about it", e);
      } finally {
        AllocationFaults.arm(false);
      }
    }
  }

  private static long accepted(Life life) {
    ChannelCore channel = life.connection.existingChannel(7);
    return channel == null ? 0 : channel.acceptedSequence();
  }

  private void receive() {
    for (Connection c : List.copyOf(right.connections)) {
      ChannelCore channel = c.existingChannel(7);
      if (channel == null) {
        continue;
      }
      int n =
          channel.poll(
              (segment, offset, length, seq) -> {
                int life = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset);
                int number = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 4);
                int id = segment.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 8);
                Life of = lives.get(life - 1);
                if (number != seq
                    || number != of.heard + 1
                    || of.ids.get(number - 1) != id
                    || length != LENGTHS[id % LENGTHS.length]) {
                  throw new AssertionError(
                      "message "
                          + id
                          + " as "
                          + number
                          + ", sequence "
                          + seq
                          + ", after "
                          + of.heard);
                }
                of.heard = number;
                delivered.merge(id, 1, Integer::sum);
                return MessageHandler.Action.CONTINUE;
              },
              100);
      if (n > 0) {
        boolean unused = right.endpoint.signal(c, channel);
      }
    }
  }

  /** Everything was sent and accepted, and a rail works again that was broken. */
  private boolean isThrough() {
    return nextId > MESSAGES
        && delivered.size() == MESSAGES
        && !lives.isEmpty()
        && lives.getLast().connection.state() == Connection.State.UP
        && accepted(lives.getLast()) == lives.getLast().ids.size()
        && left.active() >= prefixes.size();
  }

  private void check() {
    long over = left.connections.stream().filter(c -> c.state().isOver()).count();
    long told =
        left.events.stream()
            .filter(
                e ->
                    e instanceof NodeEvent.PeerLost
                        || e instanceof NodeEvent.PeerRestarted
                        || e instanceof NodeEvent.PeerClosed)
            .count();
    if (told < over) {
      throw new AssertionError("connections that ended without an event: " + describe());
    }
    for (Life life : lives) {
      if (accepted(life) > life.heard) {
        throw new AssertionError("accepted, and never delivered: " + describe());
      }
    }
    if (lives.size() == 1 && delivered.values().stream().anyMatch(times -> times != 1)) {
      throw new AssertionError("delivered twice: " + describe());
    }
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    text.append("next ").append(nextId).append(", delivered ").append(delivered.size());
    for (Listening side : List.of(left, right)) {
      text.append("\nerrors ")
          .append(side.endpoint.counters().get(EndpointCounter.INTERNAL_ERRORS));
      side.connections.forEach(c -> text.append("\n  ").append(c.state()).append(c.rails()));
      side.events.forEach(e -> text.append("\n  ").append(e));
    }
    return text.toString();
  }
}
