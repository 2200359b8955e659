// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/**
 * How a message ended that was lent by {@link Channel#send}. One {@link SendCompletion} can serve
 * the messages of any number of channels and peers: this says whose it was. On the polling thread.
 */
public final class Completion {
  /** When a completion is told. */
  public enum When {
    /** The peer's runtime has the message safely, and its memory is the sender's again. */
    ACCEPTED,
    /** The peer's handler has returned from it. */
    CONSUMED
  }

  private final Channel channel;
  private long sequence;
  private long status;
  private @Nullable String cause;

  Completion(Channel channel) {
    this.channel = channel;
  }

  Completion of(long seq, long code, @Nullable String why) {
    sequence = seq;
    status = code;
    cause = why;
    return this;
  }

  /** The channel that it was sent on. */
  public Channel channel() {
    return channel;
  }

  /** The peer that it was sent to. */
  public Peer peer() {
    return channel.peer();
  }

  /** The message's number, as {@link Channel#send} returned it. */
  public long sequence() {
    return sequence;
  }

  /**
   * 0 if it was accepted, or consumed if that was asked for; {@link Channel#MESSAGE_FAILED} if it
   * was given up alone; else the status of the channel's end, and whether the peer has the message
   * is not known.
   */
  public long status() {
    return status;
  }

  /** Whether the status is 0. */
  public boolean isDone() {
    return status == 0;
  }

  /** What is wrong and what to do about it; null if nothing is. */
  public @Nullable String error() {
    if (status == 0) {
      return null;
    }
    String which = "message " + sequence + " on " + channel;
    String what =
        status == Channel.MESSAGE_FAILED
            ? " was given up: " + cause
            : " is not known to be accepted (" + Status.name(status) + ")";
    return which + what + "; " + advice();
  }

  private String advice() {
    if (status == Channel.MESSAGE_FAILED) {
      return "correct that, and send it again";
    } else if (status == Channel.PEER_RESTARTED || status == Channel.PEER_LOST) {
      return "ask Peer.channel("
          + channel.number()
          + ") for a channel of the next connection, and"
          + " have the peer say what it has";
    } else if (status == Channel.CHANNEL_REFUSED) {
      return "raise maxChannels at the peer, or use fewer";
    } else if (status == Channel.SUPERSEDED) {
      return "start this node under another name, or end the other process";
    }
    return "wait for completions before closing";
  }

  @Override
  public String toString() {
    return sequence + " " + (status == 0 ? "accepted" : Status.name(status));
  }
}
