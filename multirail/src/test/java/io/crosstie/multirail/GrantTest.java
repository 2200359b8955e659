// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.memory.BufferPool;
import io.crosstie.reliability.memory.PoolMemory;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** One node grants to two peers: who waits for memory does not hold up the other (R37). */
@Tag("R37")
class GrantTest {
  private static final long MS = 1_000_000;
  private static final int LARGE = 300_000;
  private static final int LARGE_CHARGE = 512 << 10;

  /** Memory that is there, or back, when the test says so. */
  private static final class SlowMemory implements PoolMemory {
    private record Slow(MemorySegment segment) implements Piece {}

    boolean gives = true;
    boolean takesBack = true;
    int asked;
    int askedBack;

    @Override
    public Piece take(long bytes) {
      asked++;
      return gives ? new Slow(Arena.ofAuto().allocate(bytes, 64)) : null;
    }

    @Override
    public boolean free(Piece piece) {
      askedBack++;
      return takesBack;
    }

    @Override
    public void close() {}
  }

  private final MemoryNet net = new MemoryNet();
  private final SlowMemory memory = new SlowMemory();
  private final Pair.Side hub =
      new Pair.Side(
          EndpointConfig.defaults("hub", -1, 1), 1, new BufferPool(2 * LARGE_CHARGE, memory));
  private final Pair.Side one = new Pair.Side(EndpointConfig.defaults("one", -1, 2), 2);
  private final Pair.Side two = new Pair.Side(EndpointConfig.defaults("two", -1, 3), 3);
  private long received;

  @BeforeEach
  void connect() throws RailException {
    hub.endpoint.addPort(net.opener("mem://hub"), net.nowNs);
    for (Pair.Side side : List.of(one, two)) {
      side.endpoint.addPort(net.opener("mem://" + side.endpoint.config.name()), net.nowNs);
      side.endpoint.connect("hub", List.of(new RailAddress("mem://hub")), net.nowNs);
    }
    assertTrue(run(2000, () -> Pair.active(one) == 1 && Pair.active(two) == 1), "connected");
  }

  private boolean run(int ms, BooleanSupplier until) {
    for (long end = net.nowNs + ms * MS; net.nowNs < end; net.nowNs += 50_000) {
      one.endpoint.poll(net.nowNs);
      two.endpoint.poll(net.nowNs);
      hub.endpoint.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private static ChannelCore send(Pair.Side from, int channel, int length) {
    Connection c = from.connections.getLast();
    ChannelCore core = c.channel(channel, Priority.NORMAL);
    assertTrue(core.offer(Arena.ofAuto().allocate(length), 0, length) > 0);
    boolean unused = from.endpoint.offered(c, core);
    return core;
  }

  private static boolean isAccepted(ChannelCore core) {
    return core.acceptedSequence() == core.offeredSequence();
  }

  private void consume() {
    for (Connection c : hub.connections) {
      for (int channel = 1; channel <= 2; channel++) {
        ChannelCore core = c.existingChannel(channel);
        if (core != null && core.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 10) > 0) {
          received++;
          boolean unused = hub.endpoint.signal(c, core);
        }
      }
    }
  }

  @Test
  void smallMessagesGoOnWhileMemoryForALargeOneIsUnderWay() {
    memory.gives = false;
    ChannelCore large = send(one, 1, LARGE);
    assertFalse(run(200, () -> isAccepted(large)));
    int asked = memory.asked;
    assertTrue(asked > 3, () -> "asked " + asked + " times: a node at rest asks again by itself");
    assertTrue(asked < 100, () -> "asked " + asked + " times: less and less often");
    for (int i = 0; i < 10; i++) {
      ChannelCore small = send(two, 1, 100);
      assertTrue(run(10, () -> isAccepted(small)), "message " + i + " of the other peer");
    }
    assertTrue(hub.endpoint.nextDeadlineNs() < net.nowNs + 200 * MS, "somebody looks again");
    memory.gives = true;
    assertTrue(run(300, () -> isAccepted(large)));
    assertEquals(LARGE_CHARGE, hub.endpoint.counters().get(EndpointCounter.POOL_BYTES));
  }

  @Test
  void memoryThatGoesBackInPartsIsWaitedForAndTheBoundHolds() {
    ChannelCore middle = send(one, 1, LARGE / 2);
    assertTrue(run(100, () -> isAccepted(middle)));
    consume();
    run(5, () -> false);
    memory.takesBack = false;
    memory.gives = true;
    ChannelCore first = send(one, 1, LARGE);
    ChannelCore second = send(two, 1, LARGE);
    assertFalse(run(100, () -> isAccepted(first) && isAccepted(second)));
    assertTrue(isAccepted(first) || isAccepted(second), "there was room for one");
    assertTrue(memory.askedBack > 100, () -> "part by part, in each cycle: " + memory.askedBack);
    ChannelCore small = send(two, 2, 100);
    assertTrue(run(10, () -> isAccepted(small)));
    memory.takesBack = true;
    assertTrue(run(300, () -> isAccepted(first) && isAccepted(second)));
    assertEquals(1, received);
  }
}
