// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.messaging.MessageHandler;
import java.lang.foreign.MemorySegment;
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
  /** The rail between them. */
  @Param({"udp", "shm"})
  public String rail;

  /** Bytes of the message. */
  @Param({"64", "1024", "32768"})
  public int size;

  private NodePair pair;
  private long returned;
  private final MessageHandler echo = this::echo;
  private final MessageHandler count = this::count;

  /** Starts both nodes and connects them. */
  @Setup(Level.Trial)
  public void setUp() {
    pair = new NodePair(rail, size);
  }

  /** Closes both nodes. */
  @TearDown(Level.Trial)
  public void tearDown() {
    pair.close();
  }

  private MessageHandler.Action echo(
      MemorySegment segment, long offset, long length, long sequence) {
    return pair.farChannel().offer(segment, offset, length) > 0
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
    long sequence = pair.nearChannel().offer(pair.message(), 0, size);
    if (sequence <= 0) {
      throw new IllegalStateException("not taken: " + sequence);
    }
    pair.begins();
    while (returned < sequence) {
      int unused = pair.near().doWork();
      int echoed = pair.farChannel().poll(echo, 1);
      if (echoed > 0) {
        int unusedSent = pair.far().doWork();
      }
      int unusedGot = pair.nearChannel().poll(count, 1);
      pair.polledInVain();
    }
    return sequence;
  }
}
