// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;

/**
 * Two connected nodes, both driven by one thread: what a message costs both of them, whatever
 * processors there are and wherever two threads would run.
 */
final class NodePair implements AutoCloseable {
  private static final int POLLS_BETWEEN_CLOCKS = 1 << 14;
  private static final long PATIENCE_NS = 10_000_000_000L;

  private final Node far;
  private final Node near;
  private final Channel nearChannel;
  private final Channel farChannel;
  private long polls;
  private long patientUntilNs;

  private final Arena arena = Arena.ofShared();
  private final MemorySegment message;

  /**
   * @param rail between them: udp or shm
   * @param size of the message in bytes
   */
  NodePair(String rail, int size) {
    String uri =
        switch (rail) {
          case "udp" -> "udp://127.0.0.1:0";
          case "shm" -> "shm:";
          default -> throw new IllegalArgumentException("rail " + rail + " is neither udp nor shm");
        };
    far = Node.start(config("far", uri).build());
    NodeConfigBuilder config = config("near", uri);
    far.localAddresses().forEach(address -> config.peer("far", address.text()));
    near = Node.start(config.build());
    begins();
    while (!near.peer("far").isUp() || far.peers().stream().noneMatch(peer -> peer.isUp())) {
      int unused = near.doWork() + far.doWork();
      polledInVain();
    }
    message = arena.allocate(size, 64);
    nearChannel = near.peer("far").channel(1);
    farChannel = far.peer("near").channel(1);
  }

  private static NodeConfigBuilder config(String name, String uri) {
    return NodeConfig.builder()
        .name(name)
        .rail(uri)
        .progress(Progress.caller())
        .shutdownHook(false);
  }

  Node near() {
    return near;
  }

  Node far() {
    return far;
  }

  /** The near node's end of the channel. */
  Channel nearChannel() {
    return nearChannel;
  }

  /** The far node's end of it. */
  Channel farChannel() {
    return farChannel;
  }

  /** What is sent. */
  MemorySegment message() {
    return message;
  }

  /** Something is waited for from now on. */
  void begins() {
    polls = 0;
  }

  /** It was looked for in vain; after ten seconds of that it is lost. */
  void polledInVain() {
    if (++polls % POLLS_BETWEEN_CLOCKS != 0) {
      return;
    }
    long nowNs = System.nanoTime();
    if (polls == POLLS_BETWEEN_CLOCKS) {
      patientUntilNs = nowNs + PATIENCE_NS;
    } else if (nowNs > patientUntilNs) {
      throw new IllegalStateException("lost: " + near.peer("far").rails() + ", " + near);
    }
  }

  @Override
  public void close() {
    near.close(Duration.ZERO);
    far.close(Duration.ZERO);
    arena.close();
  }
}
