// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Short messages, one at a time, over shared memory beside UDP, to a node that stands still now and
 * then until the sender has sent what it waits for once more by the other rail: each is delivered
 * once, and so is the next.
 */
@Timeout(180)
final class StillReceiverTest {
  private static final String UDP = "udp://127.0.0.1:0";
  private static final String SHM = "shm:";
  private static final int ROUNDS = 8;
  private static final int MESSAGES = 20;

  private final List<Node> nodes = new ArrayList<>();
  private final List<Long> got = new ArrayList<>();

  private final MessageHandler take =
      (message, offset, length, sequence) -> {
        long content = message.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
        assertEquals(sequence, content, "the content of another message");
        got.add(content);
        return Channel.CONTINUE;
      };

  static Stream<Arguments> ways() {
    return Stream.of(List.of(UDP, SHM), List.of(SHM, UDP))
        .flatMap(rails -> Stream.of(Arguments.of(rails, false), Arguments.of(rails, true)));
  }

  private static NodeConfigBuilder config(String name, List<String> rails, Progress progress) {
    NodeConfigBuilder builder = NodeConfig.builder().name(name).shutdownHook(false);
    rails.forEach(builder::rail);
    return builder.progress(progress);
  }

  private Node start(NodeConfigBuilder config) {
    Node node = Node.start(config.build());
    nodes.add(node);
    return node;
  }

  @AfterEach
  void close() {
    nodes.forEach(node -> node.close(Duration.ZERO));
  }

  @ParameterizedTest
  @MethodSource("ways")
  void whatWasSentAgainByTheOtherRailIsDeliveredOnce(List<String> rails, boolean caller) {
    Node still = start(config("still", rails, Progress.caller()).peer("sender"));
    List<NodeAddress> addresses = still.localAddresses();
    NodeConfigBuilder config =
        config("sender", rails, caller ? Progress.caller() : Progress.thread());
    addresses.forEach(address -> config.peer("still", address.text()));
    Node sender = start(config);
    Peer peer = sender.peer("still");
    until("two rails", () -> active(peer) == 2, sender, still);
    Channel out = peer.channel(1);
    Channel in = still.peer("sender").channel(1);
    long number = 0;
    int sentAgain = 0;
    for (int round = 0; sentAgain < ROUNDS; round++) {
      assertTrue(round < 10 * ROUNDS, () -> "hardly ever sent again: " + describe(sender));
      for (int i = 0; i < MESSAGES; i++) {
        long before = sentAgain(peer);
        offer(out, ++number, sender);
        if (i == MESSAGES - 1) { // it stands still until that was sent again, if it can be
          until("sent again", () -> sentAgain(peer) > before || active(peer) == 0, sender);
          sentAgain += sentAgain(peer) > before ? 1 : 0;
        }
        long last = number;
        until(
            "message " + number,
            () -> {
              int unused = in.poll(take, 16);
              return got.size() >= last;
            },
            sender,
            still);
      }
      long last = number;
      until("accepted", () -> out.acceptedSequence() >= last, sender, still);
      until("both rails again", () -> active(peer) == 2, sender, still);
    }
    int unused = in.poll(take, 16);
    assertEquals(LongStream.rangeClosed(1, number).boxed().toList(), got);
    long expected = still.peer("sender").counters().get(ConnectionCounter.PREDICTED_PACKETS);
    assertTrue(expected > 0, "nothing was taken in as expected");
    assertEquals(0, peer.counters().get(ConnectionCounter.PROTOCOL_ERRORS));
    assertEquals(0, still.peer("sender").counters().get(ConnectionCounter.PROTOCOL_ERRORS));
  }

  private static long active(Peer peer) {
    return peer.rails().stream().filter(rail -> rail.state() == RailState.ACTIVE).count();
  }

  private static long sentAgain(Peer peer) {
    long sum = 0;
    for (RailInfo rail : peer.rails()) {
      sum += rail.counters().get(RailCounter.PAYLOAD_AGAIN_OUT);
    }
    return sum;
  }

  private static void offer(Channel channel, long number, Node sender) {
    byte[] message = new byte[Long.BYTES];
    ByteBuffer.wrap(message).order(ByteOrder.nativeOrder()).putLong(0, number);
    until("room", () -> channel.offer(message) > 0, sender);
  }

  /** Drives those nodes, and no other, until it holds. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  private static void until(String what, BooleanSupplier condition, Node... driven) {
    long end = System.nanoTime() + TwoNodes.PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertTrue(
          System.nanoTime() < end,
          () ->
              "not in "
                  + TwoNodes.PATIENCE
                  + ": "
                  + what
                  + Arrays.stream(driven).map(StillReceiverTest::describe).toList());
      for (Node node : driven) {
        if (node.config().progress().isCaller()) {
          int unused = node.doWork();
        }
      }
      Thread.yield();
    }
  }

  /** For a failure's message. */
  private static String describe(Node node) {
    StringBuilder text = new StringBuilder(node.name());
    for (Peer peer : node.peers()) {
      for (RailInfo rail : peer.rails()) {
        text.append("; ").append(rail.kind()).append(' ').append(rail.state());
        for (RailCounter counter : RailCounter.values()) {
          long value = rail.counters().get(counter);
          text.append(value == 0 ? "" : " " + counter + "=" + value);
        }
      }
    }
    return text.toString();
  }
}
