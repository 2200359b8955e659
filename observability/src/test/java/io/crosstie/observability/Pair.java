// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Two nodes in one JVM, a and b; a connects to b. Both are driven by the test's thread. */
final class Pair implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final Node a;
  final Node b;
  final List<NodeEvent> eventsOfA = new ArrayList<>();
  final List<NodeEvent> eventsOfB = new ArrayList<>();
  private long received;

  Pair(List<String> rails) {
    this(rails, config -> config, config -> config);
  }

  Pair(
      List<String> rails,
      UnaryOperator<NodeConfigBuilder> more,
      UnaryOperator<NodeConfigBuilder> moreOfA) {
    b = Node.start(more.apply(config("b", rails)).build());
    NodeConfigBuilder config = moreOfA.apply(more.apply(config("a", rails)));
    b.localAddresses().forEach(address -> config.peer("b", address.text()));
    a = Node.start(config.build());
  }

  static NodeConfigBuilder config(String name, List<String> rails) {
    NodeConfigBuilder config =
        NodeConfig.builder().name(name).shutdownHook(false).progress(Progress.caller());
    rails.forEach(config::rail);
    return config;
  }

  void turn() {
    a.idle(a.pollEvents(eventsOfA::add));
    b.idle(b.pollEvents(eventsOfB::add));
  }

  void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "not in " + PATIENCE + ": " + what + "; a: " + eventsOfA + "; b: " + eventsOfB);
      }
      turn();
    }
  }

  /** Until both are up over that many rails. */
  void up(int rails) {
    until(
        "up over " + rails + " rails",
        () -> active(aToB()) == rails && knowsA() && active(b.peer("a")) == rails);
  }

  boolean knowsA() {
    return b.peers().stream().anyMatch(peer -> peer.name().equals("a"));
  }

  Peer aToB() {
    return a.peer("b");
  }

  static long active(Peer peer) {
    return peer.state() != Peer.State.UP
        ? 0
        : peer.rails().stream().filter(rail -> rail.state() == RailState.ACTIVE).count();
  }

  /** Sends messages to and fro until the condition holds, and all of them have arrived. */
  void trafficUntil(String what, BooleanSupplier condition) {
    byte[] message = new byte[1000];
    Channel there = aToB().channel(1);
    Channel back = b.peer("a").channel(1);
    until(
        what,
        () -> {
          if (there.offeredSequence() - there.consumedSequence() < 8) {
            long unused = there.offer(message);
          }
          if (back.offeredSequence() - back.consumedSequence() < 8) {
            long unused = back.offer(message);
          }
          receive(there);
          receive(back);
          return condition.getAsBoolean();
        });
    until(
        "everything consumed",
        () -> {
          receive(there);
          receive(back);
          return there.consumedSequence() == there.offeredSequence()
              && back.consumedSequence() == back.offeredSequence();
        });
  }

  private void receive(Channel channel) {
    received += channel.poll((segment, offset, length, sequence) -> Channel.CONTINUE, 16);
  }

  void traffic(long messages) {
    long end = received + messages;
    trafficUntil(messages + " messages", () -> received >= end);
  }

  @Override
  public void close() {
    try {
      a.close(Duration.ZERO);
    } finally {
      b.close(Duration.ZERO);
    }
  }
}
