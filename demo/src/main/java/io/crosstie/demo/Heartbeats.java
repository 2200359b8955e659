// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.testkit.stream.NumberedMessage;
import io.crosstie.testkit.stream.StreamVerifier;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Small ordered messages at a steady rate beside the large ones, on a channel of their own: how
 * long none comes is how long the receiver has to wait when a rail fails. Each process has a thread
 * for them, so that no large message that is being filled or compared is in their way.
 */
final class Heartbeats {
  static final int BYTES = 64;
  static final long INTERVAL_NS = 500_000;

  private static final int LIMIT = 256;

  /** What is owed for longer than this, as while all rails are gone, is not made up for. */
  private static final long MOST_OWED_NS = 20_000_000;

  private static final long NAP_NS = 100_000;
  private static final long STREAM = 1;

  private final Channel channel;
  private final PauseLog pauses = new PauseLog();
  private final StreamVerifier verifier = new StreamVerifier(STREAM, 1);
  private final MessageHandler take = this::take;
  private volatile boolean finishing;
  private volatile boolean stopped;
  private volatile long sent;
  private final Thread thread;

  Heartbeats(Channel channel, boolean sends) {
    this.channel = channel;
    this.thread =
        Thread.ofPlatform()
            .daemon()
            .name("demo-heartbeats")
            .unstarted(sends ? this::send : this::receive);
  }

  void start() {
    thread.start();
  }

  private void send() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment message = arena.allocate(BYTES, Long.BYTES);
      long number = 1;
      long dueNs = System.nanoTime();
      while (!finishing && !stopped && channel.status() == 0) {
        long nowNs = System.nanoTime();
        if (nowNs - dueNs < 0) {
          LockSupport.parkNanos(dueNs - nowNs);
          continue;
        }
        NumberedMessage.write(message, STREAM, number, 0);
        if (channel.offer(message, 0, BYTES) > 0) {
          sent = number++;
          dueNs = Math.max(dueNs + INTERVAL_NS, nowNs - MOST_OWED_NS);
        } else {
          LockSupport.parkNanos(NAP_NS);
        }
      }
    }
  }

  private void receive() {
    while (!stopped && channel.status() >= 0) {
      if (channel.poll(take, LIMIT) == 0) {
        LockSupport.parkNanos(NAP_NS);
      }
    }
  }

  private MessageHandler.Action take(
      MemorySegment memory, long offset, long length, long sequence) {
    pauses.beat(System.nanoTime());
    verifier.take(memory, offset, length);
    return Channel.CONTINUE;
  }

  /** Sends no more. Any thread. */
  void finish() {
    finishing = true;
  }

  /** Whether the peer has accepted all that were sent, after {@link #finish}. */
  boolean isAllAccepted() {
    return !thread.isAlive() && channel.acceptedSequence() >= channel.offeredSequence();
  }

  void stop() {
    stopped = true;
  }

  long sent() {
    return sent;
  }

  /** Pauses between deliveries since the last call, and the one under way. */
  List<long[]> drainPauses() {
    return pauses.drain(System.nanoTime());
  }

  StreamVerifier.Account account(long lastSent) {
    return verifier.account(lastSent);
  }
}
