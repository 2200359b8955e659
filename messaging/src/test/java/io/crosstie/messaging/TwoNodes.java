// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;

/** Two nodes in one JVM, a and b, over real rails; a connects to b. Driven by one thread. */
final class TwoNodes implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofSeconds(60);

  final Node a;
  final Node b;
  final List<NodeEvent> eventsOfA = new ArrayList<>();
  final List<NodeEvent> eventsOfB = new ArrayList<>();

  TwoNodes(List<String> rails, boolean caller) {
    this(rails, caller, config -> config);
  }

  TwoNodes(List<String> rails, boolean caller, UnaryOperator<NodeConfigBuilder> more) {
    b = Node.start(more.apply(config("b", rails, caller)).build());
    NodeConfigBuilder builder = more.apply(config("a", rails, caller));
    b.localAddresses().forEach(address -> builder.peer("b", address.text()));
    a = Node.start(builder.build());
  }

  static NodeConfigBuilder config(String name, List<String> rails, boolean caller) {
    NodeConfigBuilder builder = NodeConfig.builder().name(name).shutdownHook(false);
    rails.forEach(builder::rail);
    return builder.progress(caller ? Progress.caller() : Progress.thread());
  }

  /** One round of both nodes' application. */
  void turn() {
    a.idle(a.pollEvents(eventsOfA::add));
    b.idle(b.pollEvents(eventsOfB::add));
  }

  /** A duty cycle of each node that this thread drives; a moment for the others. */
  @SuppressWarnings("ThreadPriorityCheck") // a yield only saves time; nothing relies on it
  void cycle() {
    for (Node node : List.of(a, b)) {
      if (node.config().progress().isCaller()) {
        int unused = node.doWork();
      } else {
        Thread.yield();
      }
    }
  }

  void until(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError(
            "not in %s: %s; a: %s %s; b: %s %s"
                .formatted(PATIENCE, what, eventsOfA, state(a), eventsOfB, state(b)));
      }
      turn();
    }
  }

  /** What tells where something that never came has stopped. */
  private static String state(Node node) {
    List<String> peers = node.peers().stream().map(Peer::describe).toList();
    return node.counters() + " " + node.engineCounters() + " " + node.ports() + " " + peers;
  }

  void up() {
    until("both up", () -> aToB().isUp() && isKnown(b, "a") && b.peer("a").isUp());
  }

  static boolean isKnown(Node node, String peer) {
    return node.peers().stream().anyMatch(known -> known.name().equals(peer));
  }

  Peer aToB() {
    return a.peer("b");
  }

  Peer bToA() {
    return b.peer("a");
  }

  /** Offers until it is taken. */
  long offer(Channel channel, byte[] message) {
    long[] result = new long[1];
    until(
        "room for " + message.length + " bytes on " + channel,
        () -> {
          result[0] = channel.offer(message);
          return result[0] != Channel.BACK_PRESSURED && result[0] != Channel.CONNECTING;
        });
    return result[0];
  }

  /** Polls one message. */
  byte[] receive(Channel channel) {
    List<byte[]> got = new ArrayList<>();
    MessageHandler handler =
        (segment, offset, length, sequence) -> {
          got.add(bytes(segment, offset, length));
          return Channel.CONTINUE;
        };
    until("a message on " + channel, () -> channel.poll(handler, 1) > 0 && !got.isEmpty());
    return got.getFirst();
  }

  static byte[] bytes(MemorySegment segment, long offset, long length) {
    return segment.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
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
