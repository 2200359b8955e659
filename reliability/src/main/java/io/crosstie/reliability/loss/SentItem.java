// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.loss;

/** Kinds of content that a packet's record refers to. */
public final class SentItem {
  /** Whole messages: first number, length = how many. */
  public static final byte EAGER = 1;

  /** A fragment: first = message, offset, length. */
  public static final byte FRAGMENT = 2;

  /** The state of a channel. */
  public static final byte STATE = 3;

  /** An announcement; first = message. */
  public static final byte RTS = 4;

  /** A grant; first = message. */
  public static final byte CTS = 5;

  /** The end of a channel. */
  public static final byte FIN = 6;

  /** A message given up; first = message. */
  public static final byte ABORT = 7;

  /** The addresses of this node; first = generation. */
  public static final byte ADDRESSES = 8;

  /** A rail removed; first = rail. */
  public static final byte RAIL_GONE = 9;

  /** An acknowledgement; first = the largest number that it named, length = its rail. */
  public static final byte ACK = 10;

  /** A probe of the packet size; length = its size. */
  public static final byte SIZE_PROBE = 11;

  /** A NACK; first = packet number, length = rail, offset = reason. */
  public static final byte NACK = 12;

  /** A channel of the peer's is refused; first = its number. */
  public static final byte CHANNEL_REFUSED = 13;

  /** Grants are taken back. */
  public static final byte REVOKE = 14;

  /** A message is not taken; first = message. */
  public static final byte MESSAGE_REFUSED = 15;

  /** A datagram, which never leaves again; length = its bytes. */
  public static final byte DATAGRAM = 16;

  private SentItem() {}
}
