// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.loss.RetransmitQueue;

/**
 * How a connection is closed in good order: it is drained, then CLOSE is sent until the peer
 * answers it, and so are the peer's own.
 */
final class Closing {
  private static final int TRIES = 10;
  private static final long RETRY_NS = 20_000_000L;

  /** A closed connection answers what still comes no more often than that. */
  private static final long ANSWER_NS = 5_000_000L;

  private final ChannelTable channels;
  private final Datagrams datagrams;
  private final RetransmitQueue retransmit;
  private final PacketSender sender;

  private boolean begunHere;
  private long drainUntilNs = Long.MAX_VALUE;
  private long nextNs = Long.MIN_VALUE;
  private int sent;
  private boolean answerDue;

  Closing(
      ChannelTable channels, Datagrams datagrams, RetransmitQueue retransmit, PacketSender sender) {
    this.channels = channels;
    this.datagrams = datagrams;
    this.retransmit = retransmit;
    this.sender = sender;
  }

  /**
   * This side closes, and gives what is under way that long at most.
   *
   * @param untilNs Long.MIN_VALUE for no time, whatever becomes of the clock
   */
  void begin(long untilNs) {
    begunHere = true;
    drainUntilNs = Math.min(drainUntilNs, untilNs);
  }

  /** Whether this side began it. */
  boolean isBegunHere() {
    return begunHere;
  }

  /**
   * This side is closing: tells the peer when everything is accepted, or the time is over.
   *
   * @return false if it was told often enough, and has not answered
   */
  boolean onTimer(long nowNs) {
    if (nowNs < nextNs || !isDue(nowNs)) {
      return true;
    }
    if (sent++ >= TRIES) {
      return false;
    }
    send(nowNs);
    nextNs = nowNs + RETRY_NS;
    return true;
  }

  /** Whether everything is accepted that was offered, or the time for it is over. */
  boolean isDue(long nowNs) {
    return nowNs >= drainUntilNs || isDrained();
  }

  private boolean isDrained() {
    return retransmit.isEmpty() && channels.areDrained() && datagrams.areSent();
  }

  /** When {@link #onTimer} is to be called again. */
  long deadlineNs(long nowNs) {
    return Math.max(nextNs, nowNs + 1_000_000L);
  }

  private void send(long nowNs) {
    boolean acknowledges = answerDue;
    answerDue = false;
    sender.sendClose(acknowledges, nowNs);
  }

  /** The peer closes: it is answered at once. */
  void answer(long nowNs) {
    answerDue = true;
    send(nowNs);
  }

  /**
   * Something came although all is over: the peer does not know yet.
   *
   * @return whether it is to be told, which is not done too often
   */
  boolean onLatePacket(long nowNs) {
    if (nowNs < nextNs) {
      return false;
    }
    nextNs = nowNs + ANSWER_NS;
    answerDue = true;
    return true;
  }

  /** Tells the peer that all is over here, if it has to be told. */
  void answerIfDue(long nowNs) {
    if (answerDue) {
      send(nowNs);
    }
  }
}
