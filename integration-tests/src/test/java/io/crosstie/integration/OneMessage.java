// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.integration;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import java.time.Duration;

/**
 * Two nodes in one thread, between which messages of eight bytes go over shared memory one at a
 * time. {@link #mark} tells a debugger what is about to happen to the last one.
 */
final class OneMessage {
  private static final int BEFORE = 200;
  private static final long PATIENCE_NS = 30_000_000_000L;

  private OneMessage() {}

  /** With or without the short cuts, as the argument says. */
  public static void main(String[] arguments) {
    boolean shortcuts = Boolean.parseBoolean(arguments[0]);
    try (Node receiver = Node.start(config("receiver", shortcuts).peer("sender").build())) {
      NodeConfigBuilder config = config("sender", shortcuts);
      for (NodeAddress address : receiver.localAddresses()) {
        config.peer("receiver", address.text());
      }
      try (Node sender = Node.start(config.build())) {
        Channel out = sender.peer("receiver").channel(1);
        Channel in = receiver.peer("sender").channel(1);
        byte[] message = new byte[Long.BYTES];
        for (int i = 1; i <= BEFORE; i++) {
          exchange(sender, receiver, out, in, message, i);
        }
        mark("out");
        long offered = out.offer(message);
        int unused = sender.doWork();
        mark("received");
        unused = receiver.doWork();
        mark("polled");
        int polled = take(in);
        mark("end");
        System.out.println(offered > 0 && polled == 1 ? "delivered" : "not delivered");
        sender.close(Duration.ZERO);
        receiver.close(Duration.ZERO);
      }
    }
  }

  private static NodeConfigBuilder config(String name, boolean shortcuts) {
    return NodeConfig.builder()
        .name(name)
        .rail("shm:")
        .progress(Progress.caller())
        .shortcuts(shortcuts)
        .shutdownHook(false);
  }

  /** One message there, and all that follows from it, until nothing is left to be done. */
  private static void exchange(
      Node sender, Node receiver, Channel out, Channel in, byte[] message, long number) {
    long endNs = System.nanoTime() + PATIENCE_NS;
    boolean offered = false;
    boolean delivered = false;
    while (!delivered || out.acceptedSequence() < number) {
      if (System.nanoTime() > endNs) {
        throw new IllegalStateException("message " + number + " did not arrive");
      }
      offered = offered || out.offer(message) > 0;
      int unused = sender.doWork() + receiver.doWork();
      delivered |= take(in) == 1;
    }
    for (int idle = 0; idle < 3; ) {
      idle = sender.doWork() + receiver.doWork() == 0 ? idle + 1 : 0;
    }
  }

  private static int take(Channel in) {
    return in.poll((memory, offset, length, sequence) -> Channel.CONTINUE, 16);
  }

  /** A debugger waits for these. */
  private static void mark(String what) {
    if (what.isEmpty()) {
      throw new IllegalArgumentException("no mark");
    }
  }
}
