// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * Negative results of calls on the message path; those of {@link Channel} say more of each.
 * Anything above zero is a message's sequence number.
 */
public final class Status {
  /** No room now. */
  public static final long BACK_PRESSURED = io.crosstie.reliability.channel.Status.BACK_PRESSURED;

  /** The peer has not answered yet, and no more can be kept for it. */
  public static final long CONNECTING = io.crosstie.reliability.channel.Status.CONNECTING;

  /** The peer was silent on all rails for the peer time-out. */
  public static final long PEER_LOST = io.crosstie.reliability.channel.Status.PEER_LOST;

  /** The peer's process was started anew. */
  public static final long PEER_RESTARTED = io.crosstie.reliability.channel.Status.PEER_RESTARTED;

  /** The message is larger than the bound here, or than the peer's. */
  public static final long TOO_LARGE = io.crosstie.reliability.channel.Status.TOO_LARGE;

  /** The channel, its sending side, the connection or the node was closed. */
  public static final long CLOSED = io.crosstie.reliability.channel.Status.CLOSED;

  /** The peer takes nothing on this channel, since it has as many as it may. */
  public static final long CHANNEL_REFUSED = io.crosstie.reliability.channel.Status.CHANNEL_REFUSED;

  /** A newer process has this node's name at the peer. */
  public static final long SUPERSEDED = io.crosstie.reliability.channel.Status.SUPERSEDED;

  /** A message was given up alone. */
  public static final long MESSAGE_FAILED = io.crosstie.reliability.channel.Status.MESSAGE_FAILED;

  /** The peer does not take that kind of message, since its release knows none. */
  public static final long UNSUPPORTED = io.crosstie.reliability.channel.Status.UNSUPPORTED;

  private Status() {}

  /** The status' name, for messages and logs; a positive number gives "sequence n". */
  public static String name(long status) {
    return io.crosstie.reliability.channel.Status.name(status);
  }
}
