// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * A message of a stream to another node, from {@code offer} to the handler, both nodes driven by
 * one thread: what both ends do for it, acknowledgement and credit included, without any wait.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH sets the fields
public class StreamBenchmark {
  /** Messages of one invocation; all have arrived at its end. */
  private static final int MESSAGES = 1 << 10;

  private static final int POLL_LIMIT = 64;

  /** The rail between them. */
  @Param({"udp", "shm"})
  public String rail;

  /** Bytes of the message. */
  @Param({"32", "1024"})
  public int size;

  /** Messages that are offered between two calls of the sender's {@code doWork}. */
  @Param({"16", "256"})
  public int batch;

  private NodePair pair;
  private long received;
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

  private MessageHandler.Action count(
      MemorySegment segment, long offset, long length, long sequence) {
    received = sequence;
    return MessageHandler.Action.CONTINUE;
  }

  /** One way. */
  @Benchmark
  @OperationsPerInvocation(MESSAGES)
  public long offerToPoll() {
    Channel to = pair.nearChannel();
    Channel from = pair.farChannel();
    long first = to.offeredSequence() + 1;
    long last = first + MESSAGES - 1;
    pair.begins();
    for (long next = first; received < last; ) {
      for (int i = 0; i < batch && next <= last && to.offer(pair.message(), 0, size) > 0; i++) {
        next++;
      }
      int unused = pair.near().doWork();
      while (from.poll(count, POLL_LIMIT) > 0) {
        pair.begins();
      }
      pair.polledInVain();
    }
    return last;
  }
}
