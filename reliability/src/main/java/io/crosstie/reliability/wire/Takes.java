// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.wire;

/**
 * What a node takes besides plain messages, as bits. Nobody may send it anything else, and {@link
 * PacketValidator} refuses what comes all the same.
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

  /** Requests for what lies in regions, and their answers. */
  public static final int REGION_REQUESTS = 16;

  /** All of these. */
  public static final int ALL =
      HEADERS | OPEN_MESSAGES | PLACED_MESSAGES | DATAGRAMS | REGION_REQUESTS;

  /** What a node of this implementation takes. */
  public static final int IMPLEMENTED = HEADERS | PLACED_MESSAGES | DATAGRAMS | REGION_REQUESTS;

  private Takes() {}
}
