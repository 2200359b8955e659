// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.reliability.BufferPool;
import io.crosstie.reliability.ChannelCore;
import io.crosstie.reliability.MessageHandler;
import io.crosstie.reliability.Priority;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels of one peer beside one another, where the receiver has little memory. */
@Tag("R31")
class ShortMemoryTest {
  private static final long MS = 1_000_000;
  private static final int BUSY = 0;
  private static final MemorySegment SOURCE = Arena.ofAuto().allocate(64 << 10);

  private final MemoryNet net = new MemoryNet();
  private final Pair.Side sender = new Pair.Side(EndpointConfig.defaults("sender", -1, 1), 1);
  private Pair.Side receiver =
      new Pair.Side(
          EndpointConfig.defaults("receiver", -1, 2).change().memoryBytes(2L << 20).build(),
          2,
          new BufferPool(8L << 20));

  /** The receiver polls the channels from there on, and the busy one. */
  private int polledFrom = 1;

  private int filled;

  private void connect(String prefix) throws RailException {
    receiver.endpoint.addPort(net.opener(prefix + ".receiver"), net.nowNs);
    sender.endpoint.addPort(net.opener(prefix + ".sender"), net.nowNs);
    sender.endpoint.connect("receiver", List.of(new RailAddress(prefix + ".receiver")), net.nowNs);
    assertTrue(run(2000, () -> Pair.active(sender) == 1 && Pair.active(receiver) == 1));
  }

  private boolean run(int ms, BooleanSupplier until) {
    for (long end = net.nowNs + ms * MS; net.nowNs < end; net.nowNs += 100_000) {
      sender.endpoint.poll(net.nowNs);
      receiver.endpoint.poll(net.nowNs);
      for (Connection c : receiver.connections) {
        for (ChannelCore core : c.channels()) {
          boolean isPolled = core.number() == BUSY || core.number() >= polledFrom;
          if (isPolled && core.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 50) > 0) {
            boolean unused = receiver.endpoint.signal(c, core);
          }
        }
      }
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private ChannelCore channel(int number) {
    return sender.connections.getLast().channel(number, Priority.NORMAL);
  }

  private boolean offer(int number, int length) {
    ChannelCore core = channel(number);
    boolean isTaken = core.offer(SOURCE, 0, length) > 0;
    boolean unused = sender.endpoint.offered(sender.connections.getLast(), core);
    return isTaken;
  }

  private long waiting(int number) {
    ChannelCore core = channel(number);
    return core.offeredSequence() - core.acceptedSequence();
  }

  /**
   * What the receiver had no room for is gone with a lossless rail, which has delivered it. It is
   * sent again by itself, however well another channel gets on.
   */
  @Test
  void whatWasRefusedIsSentAgainBesideABusyChannel() throws RailException {
    connect("mem://ring");
    offer(BUSY, 8);
    assertTrue(run(1000, () -> waiting(BUSY) == 0));
    int channels = 200;
    polledFrom = channels + 1;
    assertTrue(run(3000, () -> fills(channels) && refused() > 0), "nothing was refused");
    polledFrom = 1;
    assertTrue(
        run(
            10_000,
            () -> {
              while (waiting(BUSY) < 20 && offer(BUSY, 8)) {}
              boolean all = true;
              for (int i = 1; i <= channels; i++) {
                all &= waiting(i) == 0;
              }
              return all;
            }),
        () -> describe(channels));
  }

  /** Large ones on some channels, and a short one on each of the others; one more a step. */
  private boolean fills(int channels) {
    int large = 12;
    for (int i = 1; i <= large; i++) {
      while (waiting(i) < 4 && offer(i, 40_000)) {}
    }
    filled = Math.max(large, Math.min(channels, filled + 1));
    if (channel(filled).offeredSequence() == 0) {
      offer(filled, 500);
    }
    return filled == channels;
  }

  private long refused() {
    return receiver.connections.getLast().rails().getFirst().counters().get(RailCounter.REFUSED);
  }

  /** Who needs more than is free at the moment has a turn, too. */
  @ParameterizedTest
  @ValueSource(strings = {"mem://ring", "mem://"})
  void everyChannelHasItsTurn(String prefix) throws RailException {
    connect(prefix);
    int channels = 20;
    long[] least = new long[channels + 1];
    for (int round = 1; round <= 4; round++) {
      assertTrue(
          run(
              10_000,
              () -> {
                boolean all = true;
                while (waiting(BUSY) < 20 && offer(BUSY, 8)) {}
                for (int i = 1; i <= channels; i++) {
                  while (waiting(i) < 6 && offer(i, 60_000)) {}
                  all &= channel(i).acceptedSequence() > least[i];
                }
                return all;
              }),
          () -> describe(channels));
      for (int i = 1; i <= channels; i++) {
        least[i] = channel(i).acceptedSequence();
      }
    }
    assertEquals(
        0, receiver.connections.getLast().counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  /**
   * What never arrives is sent again without end, more of it than may be under way; what is new
   * leaves all the same. It may be the rest of a message that holds the memory others wait for.
   */
  @Test
  void whatIsNewHasAShareBesideWhatIsSentAgain() throws RailException {
    receiver = new Pair.Side(EndpointConfig.defaults("receiver", -1, 2), 2); // gives all credit
    net.mtu = 1300;
    connect("mem://");
    net.lost = ShortMemoryTest::isAllFragments;
    int channels = 20;
    for (int i = 1; i <= channels; i++) {
      for (int n = 0; n < 4; n++) {
        assertTrue(offer(i, 32_000));
      }
    }
    assertFalse(run(500, this::answers));
    offer(BUSY, 900); // which no packet of theirs has room for
    assertTrue(run(5000, () -> !answers() && waiting(BUSY) == 0), () -> describe(channels));
    net.lost = packet -> false;
    assertTrue(
        run(20_000, () -> IntStream.rangeClosed(1, channels).allMatch(i -> waiting(i) == 0)),
        () -> describe(channels));
  }

  /** Whether there are parts of messages in it, and no whole one. */
  private static boolean isAllFragments(byte[] packet) {
    boolean any = false;
    if (PacketHeader.kind(packet, 0) == PacketHeader.DATA) {
      int end = PacketHeader.headerLength(packet, 0);
      for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(packet, f)) {
        if (Frames.type(packet, f) == Frames.WHOLE) {
          return false;
        }
        any |= Frames.type(packet, f) == Frames.FRAGMENT;
      }
    }
    return any;
  }

  /** The receiver sends as well; what it is answered tells soon what else is lost. */
  private boolean answers() {
    Connection c = receiver.connections.getLast();
    ChannelCore core = c.channel(1000, Priority.NORMAL);
    boolean unused = core.offer(SOURCE, 0, 8) > 0;
    unused = receiver.endpoint.offered(c, core);
    ChannelCore here = sender.connections.getLast().channel(1000, Priority.NORMAL);
    if (here.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 50) > 0) {
      unused = sender.endpoint.signal(sender.connections.getLast(), here);
    }
    return false;
  }

  private long counter(ConnectionCounter counter) {
    return sender.connections.getLast().counters().get(counter);
  }

  private String describe(int channels) {
    StringBuilder text = new StringBuilder();
    text.append("refused ").append(refused());
    text.append(", probes ").append(counter(ConnectionCounter.STALL_PROBES)).append('\n');
    for (int i = 0; i <= channels; i++) {
      ChannelCore core = channel(i);
      text.append(i).append(": ").append(core.acceptedSequence());
      text.append(" of ").append(core.offeredSequence()).append('\n');
    }
    return text.toString();
  }
}
