// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.connection.EndpointListener;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.schedule.EstimatedCompletion;
import io.crosstie.reliability.channel.ChannelCore;
import io.crosstie.reliability.channel.MessageHandler;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.testkit.Facility;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Links from a modem to a satellite: all arrives, little is sent twice, and the link is filled. */
class SlowPathTest {
  private static final long MS = 1_000_000L;
  private static final long SECOND = 1000 * MS;
  private static final int MTU = 1280;
  private static final int UDP_AND_IP = 28;
  private static final int CHANNEL = 7;

  private final SimClock clock = new SimClock();
  private final SimNetwork network = new SimNetwork(clock, new Trace(0, null), 1);
  private final MemorySegment source = Arena.ofAuto().allocate(10_000_000);
  private final List<NodeEvent> events = new ArrayList<>();
  private Node left;
  private Node right;
  private int messageBytes;
  private long sent;
  private long delivered;
  private long deliveredBytes;

  private final class Node implements EndpointListener {
    final Endpoint endpoint;
    final List<Connection> connections = new ArrayList<>();
    private final Runnable app;
    private long wakeAtNs = Long.MAX_VALUE;
    private long version;

    Node(String name, int number, Runnable app) throws RailException {
      this.app = app;
      EndpointConfig config = EndpointConfig.defaults(name, -1, number);
      endpoint =
          new Endpoint(
              config, new SplittableRandom(number), clock::nowNs, EstimatedCompletion::new, this);
      SimHost host = SimHost.of(() -> wake(clock.nowNs()));
      SimOpener opener =
          new SimOpener(
              network,
              SimNetwork.address(false, "wan", name),
              PortProfile.datagram(MTU - UDP_AND_IP),
              1,
              host);
      int unused = endpoint.addPort(opener, clock.nowNs());
    }

    void wake(long atNs) {
      if (atNs < wakeAtNs) {
        wakeAtNs = atNs;
        long mine = ++version;
        clock.at(
            atNs,
            () -> {
              if (mine == version) {
                wakeAtNs = Long.MAX_VALUE;
                cycle();
              }
            });
      }
    }

    private void cycle() {
      int work = endpoint.poll(clock.nowNs());
      app.run();
      long next = endpoint.nextDeadlineNs();
      if (work > 0 || next <= clock.nowNs() + 20_000) {
        wake(clock.nowNs() + 20_000);
      } else if (next != Long.MAX_VALUE) {
        wake(next);
      }
    }

    @Override
    public void onEvent(NodeEvent event) {
      events.add(event);
    }

    @Override
    public void onConnection(Connection connection) {
      connections.add(connection);
    }

    long sum(RailCounter... which) {
      long sum = 0;
      for (Connection c : connections) {
        for (ConnectionRails.RailInfo rail : c.rails()) {
          for (RailCounter counter : which) {
            sum += rail.counters().get(counter);
          }
        }
      }
      return sum;
    }
  }

  private void offer() {
    if (left == null || left.connections.isEmpty()) {
      return;
    }
    Connection c = left.connections.getFirst();
    ChannelCore channel = c.channel(CHANNEL, Priority.NORMAL);
    boolean any = false;
    while (channel.offer(source, 0, messageBytes) > 0) {
      sent++;
      any = true;
    }
    if (any && left.endpoint.offered(c, channel)) {
      left.wake(clock.nowNs() + 1);
    }
  }

  private void take() {
    for (Connection c : right == null ? List.<Connection>of() : right.connections) {
      ChannelCore channel = c.existingChannel(CHANNEL);
      if (channel == null) {
        continue;
      }
      int n =
          channel.poll(
              (memory, offset, length, sequence) -> {
                delivered++;
                deliveredBytes += length;
                return MessageHandler.Action.CONTINUE;
              },
              1000);
      if (n > 0 && right.endpoint.signal(c, channel)) {
        right.wake(clock.nowNs() + 1);
      }
    }
  }

  private String describe() {
    StringBuilder text = new StringBuilder("at " + clock.nowNs() / MS + " ms, ");
    text.append(delivered).append(" of ").append(sent).append(' ').append(events).append('\n');
    for (Node node : List.of(left, right)) {
      for (Connection c : node.connections) {
        for (ConnectionRails.RailInfo rail : c.rails()) {
          for (RailCounter counter : RailCounter.values()) {
            text.append(counter).append(' ').append(rail.counters().get(counter)).append(", ");
          }
        }
      }
      text.append('\n');
    }
    for (SimLink link : network.links()) {
      text.append(link).append(": ").append(link.drops()).append(" dropped\n");
    }
    return text.toString();
  }

  private void start(long kbits, long delayMs, int queueKb, int bytes) throws RailException {
    network.define("wan", new LinkModel(delayMs * MS, 0, kbits * 125, queueKb << 10, MTU));
    messageBytes = bytes;
    left = new Node("left", 1, this::offer);
    right = new Node("right", 2, this::take);
    RailAddress seed = SimNetwork.address(false, "wan", "right");
    Connection unused = left.endpoint.connect("right", List.of(seed), clock.nowNs());
    left.wake(0);
    right.wake(0);
  }

  @ParameterizedTest
  @CsvSource({
    // kbit/s, one-way delay ms, queue KiB, bytes of a message, seconds to settle, seconds, percent
    "64, 25, 64, 1000, 30, 60, 70",
    "64, 25, 16, 1000, 30, 60, 70",
    "64, 300, 64, 1000, 30, 60, 70",
    "64, 1000, 64, 10000, 60, 60, 60",
    "1000, 25, 64, 1000, 5, 20, 80",
    "1000, 1000, 256, 100000, 40, 40, 60",
    "10000, 1000, 375, 1024, 30, 20, 85",
  })
  @Tag("R7")
  @Tag("R18")
  void littleIsSentTwiceAndTheLinkIsFilled(
      long kbits, long delayMs, int queueKb, int bytes, long settle, long seconds, int percent)
      throws RailException {
    if (delayMs == 1000 && kbits > 64) {
      Facility.TIME.require("a link of " + kbits + " kbit/s and a second each way");
    }
    start(kbits, delayMs, queueKb, bytes);
    clock.runUntil(settle * SECOND);
    long before = deliveredBytes;
    long fromNs = clock.nowNs();
    clock.runUntil(fromNs + seconds * SECOND);
    double share = (deliveredBytes - before) / (kbits * 125.0 * seconds);
    long spurious = left.sum(RailCounter.SPURIOUS);
    long timeouts = left.sum(RailCounter.LOST_BY_TIMEOUT);
    long packets = left.sum(RailCounter.PACKETS_OUT);
    long twice = right.sum(RailCounter.DUPLICATE_FRAGMENTS);
    assertTrue(spurious <= packets * 0.05, () -> spurious + " spurious, " + describe());
    assertTrue(twice <= packets * 0.005, () -> twice + " came twice, " + describe());
    long again = left.sum(RailCounter.PAYLOAD_AGAIN_OUT);
    long first = left.sum(RailCounter.PAYLOAD_FIRST_OUT);
    assertTrue(again <= first * 0.05, () -> again + " bytes of " + first + " again, " + describe());
    assertTrue(timeouts <= packets * 0.01, () -> timeouts + " timeouts, " + describe());
    assertTrue(share >= percent / 100.0, () -> "share " + share + " " + describe());
    assertEquals(0, left.endpoint.connections().stream().filter(c -> c.state().isOver()).count());
  }

  /** Where what is repeated is answered late, and each answer would be answered again. */
  @ParameterizedTest
  @CsvSource({"25, 9", "300, 11", "1000, 16"})
  @Tag("R6")
  void theHandshakeDoesNotFillTheQueue(long delayMs, int most) throws RailException {
    start(64, delayMs, 64, 1000);
    while (left.sum(RailCounter.PACKETS_OUT) == 0 && clock.nowNs() < 20 * SECOND) {
      clock.runUntil(clock.nowNs() + MS);
    }
    long packets = network.links().iterator().next().get(LinkCounter.SENT);
    assertTrue(packets <= most + left.sum(RailCounter.PACKETS_OUT), () -> packets + describe());
    long rtt = left.sum(RailCounter.SRTT_NS);
    assertTrue(rtt >= 2 * delayMs * MS, () -> rtt + " ns, " + describe());
  }

  @ParameterizedTest
  @CsvSource({"1024", "10000", "100000", "1000000", "10000000"})
  @Tag("R18")
  @Tag("R31")
  void aLongPathIsFilledAtAnySizeOfMessages(int bytes) throws RailException {
    Facility.TIME.require("messages of " + bytes + " bytes on a long path");
    long kbits = 100_000;
    start(kbits, 300, 4096, bytes);
    clock.runUntil(30 * SECOND);
    long before = deliveredBytes;
    long fromNs = clock.nowNs();
    clock.runUntil(fromNs + 20 * SECOND);
    double share = (deliveredBytes - before) / (kbits * 125.0 * 20);
    long spurious = left.sum(RailCounter.SPURIOUS);
    long packets = left.sum(RailCounter.PACKETS_OUT);
    assertTrue(spurious <= packets * 0.05, () -> spurious + " spurious, " + describe());
    assertTrue(share >= 0.8, () -> "share " + share + " " + describe());
  }

  @ParameterizedTest
  @CsvSource({
    // Mbit/s, one-way delay ms, packets overtaken in a million, by so many ms more, percent
    "100, 10, 20000, 100, 1",
    "100, 10, 50000, 100, 1",
    "1000, 5, 300000, 10, 5",
  })
  @Tag("R5")
  void packetsThatAThousandOthersOvertakeAreSeldomSentAgain(
      long mbits, long delayMs, int ppm, long moreMs, int percent) throws RailException {
    Facility.TIME.require("packets that a thousand others overtake, " + ppm + " in a million");
    start(1000 * mbits, delayMs, 2048, 1000);
    LinkFaults faults = new LinkFaults(0, 0, 0, 0, 0, ppm, moreMs * MS, 0, 0, 0);
    clock.runUntil(SECOND);
    for (SimLink link : network.links()) {
      link.faults(faults);
    }
    clock.runUntil(20 * SECOND);
    long spurious = left.sum(RailCounter.SPURIOUS);
    long packets = left.sum(RailCounter.PACKETS_OUT);
    long again = left.sum(RailCounter.PAYLOAD_AGAIN_OUT);
    long first = left.sum(RailCounter.PAYLOAD_FIRST_OUT);
    assertTrue(spurious <= packets * 0.05, () -> spurious + " spurious, " + describe());
    assertTrue(
        again <= first * percent / 100, () -> "none was lost, and sent again: " + describe());
  }
}
