// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.messaging.Channel;
import io.crosstie.testkit.stream.NumberedMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** One stream as it is sent: numbered messages of one size, at a rate. One thread drives it. */
final class Sending {
  private static final long SECOND_NS = 1_000_000_000L;

  /** What is owed for longer than this, as after an outage, is not made up for. */
  private static final long MOST_OWED_NS = 50_000_000L;

  private static final int BURST = 64;

  private final Channel channel;
  private final long session;
  private final MemorySegment message;
  private double perSecond;
  private long dueNs;
  private long next = 1;
  private boolean written;

  /** Whether the next message follows a time in which the stream was held back on purpose. */
  private boolean resumed;

  private volatile long sent;

  Sending(Channel channel, long session, int bytes, double perSecond, long nowNs) {
    this.channel = channel;
    this.session = session;
    this.message = Arena.ofAuto().allocate(bytes, Long.BYTES);
    this.perSecond = perSecond;
    this.dueNs = nowNs;
  }

  /** Sends what is due; returns how many messages that were. */
  int step(long nowNs) {
    int count = 0;
    while (count < BURST && perSecond > 0 && nowNs - dueNs >= 0) {
      if (!written) {
        NumberedMessage.write(message, session, next, resumed ? 1 : 0);
        written = true;
      }
      if (channel.offer(message) < 0) {
        break; // no room, or over
      }
      written = false;
      resumed = false;
      sent = next++;
      count++;
      dueNs = Math.max(dueNs + (long) (SECOND_NS / perSecond), nowNs - MOST_OWED_NS);
    }
    return count;
  }

  void setRate(double messagesPerSecond) {
    perSecond = messagesPerSecond;
  }

  /** Goes on after having been held back on purpose. */
  void resume(long nowNs) {
    dueNs = nowNs;
    resumed = true;
  }

  /** Whether the channel is of a connection that has ended. */
  boolean isOver() {
    return channel.status() != 0;
  }

  /** Messages that the channel took. */
  long sent() {
    return sent;
  }

  int bytes() {
    return (int) message.byteSize();
  }
}
