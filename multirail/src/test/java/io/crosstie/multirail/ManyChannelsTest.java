// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ten thousand channels of one connection: what they take is given back when they are idle. */
@Tag("R31")
class ManyChannelsTest {
  private static final int CHANNELS = 10_000;
  private static final MemorySegment SOURCE = Arena.ofAuto().allocate(4 << 10);

  private final MemoryNet net = new MemoryNet();
  private final ArrayDeque<ChannelCore> told = new ArrayDeque<>();
  private final Pair.Side sender = new Pair.Side(config("sender", 1), 1);
  private final Pair.Side receiver = new Pair.Side(config("receiver", 2), 2);

  private static EndpointConfig config(String name, long incarnation) {
    return EndpointConfig.defaults(name, -1, incarnation)
        .change()
        .maxChannels(CHANNELS)
        .memoryBytes(256L << 20)
        .build();
  }

  private boolean run(int ms, BooleanSupplier until) {
    for (long end = net.nowNs + ms * 1_000_000L; net.nowNs < end; net.nowNs += 100_000) {
      sender.endpoint.poll(net.nowNs);
      receiver.endpoint.poll(net.nowNs);
      while (!told.isEmpty()) {
        ChannelCore core = told.removeFirst();
        if (core.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 50) > 0) {
          boolean unused = receiver.endpoint.signal(receiver.connections.getLast(), core);
        }
      }
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  @Test
  void whatTheyTakeIsGivenBackWhenTheyAreIdle() throws RailException {
    receiver.onNews = told::add;
    receiver.endpoint.addPort(net.opener("mem://ring.receiver"), net.nowNs);
    sender.endpoint.addPort(net.opener("mem://ring.sender"), net.nowNs);
    sender.endpoint.connect("receiver", List.of(new RailAddress("mem://ring.receiver")), net.nowNs);
    assertTrue(run(2000, () -> Pair.active(sender) == 1 && Pair.active(receiver) == 1));
    Connection c = sender.connections.getLast();
    ChannelCore[] channels = new ChannelCore[CHANNELS];
    for (int round = 1; round <= 2; round++) {
      for (int i = 0; i < CHANNELS; i++) {
        ChannelCore channel = c.channel(i, null);
        channels[i] = channel;
        int length = i % 50 == 0 ? 4000 : 100;
        assertTrue(run(10_000, () -> channel.offer(SOURCE, 0, length) > 0));
        boolean unused = sender.endpoint.offered(c, channel);
        if (i % 100 == 0) {
          run(1, () -> false);
        }
      }
      int sequence = round;
      assertTrue(
          run(
              60_000,
              () -> {
                for (ChannelCore channel : channels) {
                  if (channel.peerConsumedSequence() < sequence) {
                    return false;
                  }
                }
                return true;
              }),
          "all are consumed");
      run(10_000, () -> false);
      assertEquals(0, sender.endpoint.memory().usedBytes(), "sender, round " + round);
      long opened = (long) CHANNELS << 10; // objects of channels that the peer has opened
      long used = receiver.endpoint.memory().usedBytes();
      assertTrue(used <= opened + (64 << 10), "receiver " + used + ", round " + round);
      long chunks = receiver.endpoint.memory().chunks().allocatedBytes();
      assertTrue(chunks <= 512 << 10, "chunks " + chunks + ", round " + round);
    }
    assertEquals(
        2L * CHANNELS,
        receiver.connections.getLast().counters().get(ConnectionCounter.MESSAGES_IN));
    long cycles = receiver.endpoint.counters().get(EndpointCounter.CYCLES);
    assertTrue(cycles > 0);
  }
}
