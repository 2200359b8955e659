// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Progress;
import io.crosstie.reliability.MessageHandler;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A message to another node and back, from {@code offer} to the handler, both nodes driven by one
 * thread: all that Crosstie does for it and the system calls, without any switch between threads.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@NullUnmarked // JMH sets the fields
public class RoundTripBenchmark {
  private static final int LOOKS_BETWEEN_CLOCKS = 1 << 14;
  private static final long PATIENCE_NS = 10_000_000_000L;

  /** The rail between them. */
  @Param({"udp", "shm"})
  public String rail;

  /** Bytes of the message. */
  @Param({"64", "1024", "32768"})
  public int size;

  private Arena arena;
  private MemorySegment message;
  private Node near;
  private Node far;
  private Channel ping;
  private Channel pong;
  private long returned;
  private final MessageHandler echo = this::echo;
  private final MessageHandler count = this::count;

  /** Starts both nodes and connects them. */
  @Setup(Level.Trial)
  public void setUp() {
    arena = Arena.ofShared();
    message = arena.allocate(size, 64);
    String uri = rail.equals("udp") ? "udp://127.0.0.1:0" : "shm:";
    far = Node.start(config("far", uri).build());
    NodeConfigBuilder config = config("near", uri);
    far.localAddresses().forEach(address -> config.peer("far", address.text()));
    near = Node.start(config.build());
    ping = near.peer("far").channel(1);
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (pong == null) {
      int unused = near.doWork() + far.doWork();
      if (near.peer("far").isUp() && far.peers().stream().anyMatch(peer -> peer.isUp())) {
        pong = far.peer("near").channel(1);
      } else if (System.nanoTime() > endNs) {
        throw new IllegalStateException("not connected: " + near.peer("far") + ", " + near);
      }
    }
  }

  private static NodeConfigBuilder config(String name, String uri) {
    return NodeConfig.builder()
        .name(name)
        .rail(uri)
        .progress(Progress.caller())
        .shutdownHook(false);
  }

  /** Closes both nodes. */
  @TearDown(Level.Trial)
  public void tearDown() {
    near.close(Duration.ZERO);
    far.close(Duration.ZERO);
    arena.close();
  }

  private MessageHandler.Action echo(
      MemorySegment segment, long offset, long length, long sequence) {
    return pong.offer(segment, offset, length) > 0
        ? MessageHandler.Action.CONTINUE
        : MessageHandler.Action.RETRY_LATER;
  }

  private MessageHandler.Action count(
      MemorySegment segment, long offset, long length, long sequence) {
    returned = sequence;
    return MessageHandler.Action.CONTINUE;
  }

  /** There and back. */
  @Benchmark
  public long offerToPoll() {
    long sequence = ping.offer(message, 0, size);
    if (sequence <= 0) {
      throw new IllegalStateException("not taken: " + sequence);
    }
    long endNs = 0;
    for (int looks = 1; returned < sequence; looks++) {
      int unused = near.doWork();
      int echoed = pong.poll(echo, 1);
      if (echoed > 0) {
        int unusedSent = far.doWork();
      }
      int unusedGot = ping.poll(count, 1);
      if (looks % LOOKS_BETWEEN_CLOCKS == 0) {
        long nowNs = System.nanoTime();
        endNs = endNs == 0 ? nowNs + PATIENCE_NS : endNs;
        if (nowNs > endNs) {
          throw new IllegalStateException("lost " + sequence + ": " + near.peer("far").rails());
        }
      }
    }
    return sequence;
  }
}
