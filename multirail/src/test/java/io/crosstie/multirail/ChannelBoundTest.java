// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.channel.Status;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** More channels than a side takes: whoever opens them is told, and nobody else is harmed. */
@Tag("R24")
class ChannelBoundTest {
  private static final long MS = 1_000_000;
  private static final int BOUND = 2;

  private final MemoryNet net = new MemoryNet();
  private Pair.Side left;
  private Pair.Side right;
  private Connection c;

  private void begin(String prefix, int leftBound, int rightBound) throws RailException {
    left = side("left", 1, leftBound);
    right = side("right", 2, rightBound);
    left.endpoint.addPort(net.opener(prefix + "left"), net.nowNs);
    right.endpoint.addPort(net.opener(prefix + "right"), net.nowNs);
    c = left.endpoint.connect("right", List.of(new RailAddress(prefix + "right")), net.nowNs);
  }

  private static Pair.Side side(String name, long incarnation, int bound) {
    return new Pair.Side(
        EndpointConfig.defaults(name, -1, incarnation).change().maxChannels(bound).build(),
        incarnation);
  }

  private boolean run(long forNs, BooleanSupplier until) {
    for (long end = net.nowNs + forNs; net.nowNs < end; net.nowNs += 50_000) {
      left.endpoint.poll(net.nowNs);
      right.endpoint.poll(net.nowNs);
      if (until.getAsBoolean()) {
        return true;
      }
    }
    return false;
  }

  private void up() {
    assertTrue(run(1000 * MS, () -> c.state() == Connection.State.UP), c::problem);
  }

  private ChannelCore offer(int number, int length) {
    ChannelCore channel = c.channel(number, Priority.NORMAL);
    assertTrue(channel.offer(MemorySegment.ofArray(new byte[length]), 0, length) > 0);
    boolean unused = left.endpoint.offered(c, channel);
    return channel;
  }

  private List<NodeEvent.ChannelRefused> refusals() {
    return left.events.stream()
        .filter(NodeEvent.ChannelRefused.class::isInstance)
        .map(NodeEvent.ChannelRefused.class::cast)
        .toList();
  }

  private long counter(Pair.Side side, RailCounter counter) {
    return side.connections.getLast().rails().getFirst().counters().get(counter);
  }

  private boolean accepted(ChannelCore channel) {
    return channel.acceptedSequence() == channel.offeredSequence();
  }

  @ParameterizedTest
  @ValueSource(strings = {"mem://", "mem://ring-"})
  void theOpenerOfOneTooManyIsToldAndNothingIsSentAgain(String prefix) throws RailException {
    begin(prefix, 1024, BOUND);
    up();
    ChannelCore one = offer(1, 100);
    ChannelCore two = offer(2, 100);
    assertTrue(run(100 * MS, () -> accepted(one) && accepted(two)));
    ChannelCore three = offer(3, 100);
    offer(3, 100_000); // announced
    offer(3, 0);
    ChannelCore beside = offer(1, 100);
    assertTrue(run(100 * MS, () -> three.terminalStatus() != 0), left.events::toString);
    assertEquals(Status.CHANNEL_REFUSED, three.terminalStatus());
    assertEquals(Status.CHANNEL_REFUSED, three.offer(MemorySegment.NULL, 0, 0));
    assertEquals(List.of(new NodeEvent.ChannelRefused("right", 3, 1, 3)), refusals());
    assertTrue(run(100 * MS, () -> accepted(beside)));
    run(3000 * MS, () -> false);
    assertEquals(0, counter(left, RailCounter.PAYLOAD_AGAIN_OUT), "bytes sent again");
    assertEquals(0, counter(left, RailCounter.SUSPECTED));
    assertEquals(0, c.counters().get(ConnectionCounter.STALL_PROBES));
    assertEquals(0, three.acceptedSequence());
    assertEquals(1, refusals().size());
    Connection there = right.connections.getLast();
    assertTrue(there.counters().get(ConnectionCounter.CHANNELS_REFUSED) > 0);
    assertEquals(0, there.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertEquals(Connection.State.UP, there.state());
    offer(1, 100);
    offer(2, 100);
    assertTrue(run(100 * MS, () -> accepted(one) && accepted(two)));
  }

  @Test
  void completionsTellAndWhatIsOfferedMeanwhileIsNamedToo() throws RailException {
    begin("mem://", 1024, BOUND);
    offer(1, 1);
    offer(2, 1);
    up();
    assertTrue(run(100 * MS, () -> right.saw(NodeEvent.ChannelOpenedByPeer.class)));
    ChannelCore three = c.channel(3, Priority.NORMAL);
    List<String> told = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment lent = arena.allocate(200_000);
      assertEquals(1, three.send(lent, 0, 200_000, (seq, error) -> told.add(seq + " " + error)));
      assertEquals(2, three.send(lent, 0, 10, (seq, error) -> told.add(seq + " " + error)));
      boolean unused = left.endpoint.offered(c, three);
      assertTrue(run(100 * MS, () -> three.terminalStatus() != 0), left.events::toString);
      assertEquals(2, three.poll((m, o, l, s) -> MessageHandler.Action.CONTINUE, 10));
    }
    assertEquals(List.of("1 CHANNEL_REFUSED", "2 CHANNEL_REFUSED"), told);
    run(500 * MS, () -> false);
    assertEquals(List.of(new NodeEvent.ChannelRefused("right", 3, 1, 2)), refusals());
    right.endpoint.close();
    run(60_000 * MS, () -> c.state().isOver());
    NodeEvent.PeerLost lost =
        (NodeEvent.PeerLost)
            left.events.stream().filter(NodeEvent.PeerLost.class::isInstance).findFirst().get();
    assertEquals(List.of(), lost.unknown(), "what failed is not unknown");
  }

  /** A message that another thread offers while the refusal comes in. */
  @Test
  void anOfferThatCrossesTheRefusalIsNamedAlone() throws RailException {
    begin("mem://", 1024, BOUND);
    offer(1, 1);
    offer(2, 1);
    up();
    run(10 * MS, () -> false);
    ChannelCore three = offer(3, 1);
    assertEquals(2, three.claim(8));
    assertTrue(run(200 * MS, () -> three.terminalStatus() != 0), left.events::toString);
    three.commitClaim();
    boolean ignored = left.endpoint.offered(c, three);
    run(200 * MS, () -> false);
    assertEquals(
        List.of(
            new NodeEvent.ChannelRefused("right", 3, 1, 1),
            new NodeEvent.ChannelRefused("right", 3, 2, 2)),
        refusals());
    assertEquals(0, counter(left, RailCounter.PAYLOAD_AGAIN_OUT));
  }

  @Test
  void theRefusalIsToldUntilItIsHeard() throws RailException {
    begin("mem://", 1024, BOUND);
    up();
    offer(1, 1);
    offer(2, 1);
    run(10 * MS, () -> false);
    net.blackHole("mem://left", true);
    ChannelCore three = offer(3, 100);
    run(300 * MS, () -> false);
    assertEquals(0, three.terminalStatus());
    net.blackHole("mem://left", false);
    assertTrue(run(1000 * MS, () -> three.terminalStatus() != 0), left.events::toString);
    assertEquals(1, refusals().size());
  }

  @Test
  void manyAreRefusedAtOnce() throws RailException {
    begin("mem://", 1024, BOUND);
    offer(1, 1);
    offer(2, 1);
    up();
    run(10 * MS, () -> false);
    List<ChannelCore> channels = new ArrayList<>();
    for (int i = 3; i < 300; i++) {
      channels.add(offer(i, 10));
    }
    assertTrue(
        run(3000 * MS, () -> channels.stream().allMatch(ch -> ch.terminalStatus() != 0)),
        () -> refusals().size() + " refused");
    assertEquals(297, refusals().size());
    run(3000 * MS, () -> false);
    assertEquals(297, refusals().size());
    assertEquals(1, left.connections.size());
  }

  /** The bound is counted alike by whichever side, and before and after the handshake. */
  @Test
  void ownChannelsAndThoseOfThePeerCountTogether() throws RailException {
    begin("mem://", BOUND, 1024);
    offer(1, 1);
    offer(2, 1);
    IllegalStateException e =
        assertThrows(IllegalStateException.class, () -> c.channel(3, Priority.NORMAL));
    assertTrue(e.getMessage().contains("maxChannels"), e::getMessage);
    up();
    Connection there = right.connections.getLast();
    ChannelCore three = there.channel(3, Priority.NORMAL);
    assertTrue(three.offer(MemorySegment.NULL, 0, 0) > 0);
    boolean unused = right.endpoint.offered(there, three);
    assertTrue(run(100 * MS, () -> three.terminalStatus() == Status.CHANNEL_REFUSED));
    assertThrows(IllegalStateException.class, () -> c.channel(4, Priority.NORMAL));
    assertEquals(2, c.channel(2, Priority.NORMAL).number());
  }

  /** Simultaneous opens: the accepted connection takes over the channels of the half-open one. */
  @Test
  void channelsThatAreTakenOverCountOnce() throws RailException {
    begin("mem://", BOUND, BOUND);
    Connection other =
        right.endpoint.connect("left", List.of(new RailAddress("mem://left")), net.nowNs);
    ChannelCore theirs = other.channel(2, Priority.NORMAL);
    assertTrue(theirs.offer(MemorySegment.NULL, 0, 0) > 0);
    ChannelCore one = offer(1, 1);
    up();
    assertTrue(run(1000 * MS, () -> other.state() == Connection.State.UP));
    boolean unused = right.endpoint.offered(other, theirs);
    assertTrue(run(1000 * MS, () -> accepted(one) && theirs.acceptedSequence() == 1));
    assertEquals(List.of(), refusals());
    assertThrows(IllegalStateException.class, () -> c.channel(3, Priority.NORMAL));
  }
}
