// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

/**
 * What a node takes besides plain messages, as bits: what it did not say in the handshake that it
 * takes, nobody may send to it, and {@link PacketValidator} refuses. {@link PlacedFrame} and {@link
 * MessageRefusedFrame} for example are laid out, and not yet taken by anybody.
 */
public final class Takes {
  /** Plain messages only. */
  public static final int NOTHING_ELSE = 0;

  /** Messages with a header of the application. */
  public static final int HEADERS = 1;

  /** Messages whose length is not known when they begin. */
  public static final int OPEN_MESSAGES = 2;

  /** Messages with a place in a region. */
  public static final int PLACED_MESSAGES = 4;

  /** Datagrams. */
  public static final int DATAGRAMS = 8;

  /** All of these. */
  public static final int ALL = HEADERS | OPEN_MESSAGES | PLACED_MESSAGES | DATAGRAMS;

  private Takes() {}
}
