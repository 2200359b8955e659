// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/**
 * Negative results of calls on the message path. Anything above zero is a message's sequence
 * number.
 */
public final class Status {
  /** No room now; drive or wait for progress, then try again. */
  public static final long BACK_PRESSURED = -1;

  /** The peer has not answered yet and the send log is full. */
  public static final long CONNECTING = -2;

  /** No packet from the peer on any rail for the peer time-out; the connection is over. */
  public static final long PEER_LOST = -3;

  /**
   * The peer's process was started anew; this channel belongs to its earlier life. Open a new one.
   */
  public static final long PEER_RESTARTED = -4;

  /** The message is larger than the configured bound. */
  public static final long TOO_LARGE = -5;

  /** The channel, its sending side, or the node was closed here or by the peer. */
  public static final long CLOSED = -6;

  /**
   * The peer takes no such channel, because it has its bound of them; nothing that was offered
   * there was kept. As long as the connection lasts.
   */
  public static final long CHANNEL_REFUSED = -7;

  /**
   * A newer process has this node's name at the peer, since this one gave no sign of life when it
   * was asked. This one has to be started anew.
   */
  public static final long SUPERSEDED = -8;

  /** A message was given up alone: its memory cannot be read, or the peer takes none so long. */
  public static final long MESSAGE_FAILED = -9;

  /** The peer does not take that kind of message; as long as the connection lasts. */
  public static final long UNSUPPORTED = -10;

  private Status() {}

  /** The status' name, for messages and logs; a positive number gives "sequence n". */
  public static String name(long status) {
    return switch ((int) Math.clamp(status, -100L, 1L)) {
      case -1 -> "BACK_PRESSURED";
      case -2 -> "CONNECTING";
      case -3 -> "PEER_LOST";
      case -4 -> "PEER_RESTARTED";
      case -5 -> "TOO_LARGE";
      case -6 -> "CLOSED";
      case -7 -> "CHANNEL_REFUSED";
      case -8 -> "SUPERSEDED";
      case -9 -> "MESSAGE_FAILED";
      case -10 -> "UNSUPPORTED";
      case 1 -> "sequence " + status;
      default -> "unknown status " + status;
    };
  }
}
