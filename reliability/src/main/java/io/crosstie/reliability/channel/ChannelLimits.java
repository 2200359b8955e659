// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/**
 * Bounds of one channel's memory, in bytes.
 *
 * @param maxMessageBytes longest message
 * @param eagerLimitBytes longest message sent without a grant; the same on both sides, fixed by the
 *     protocol version
 * @param initialWindowBytes credit that this side gives the peer at first, as the handshake told
 * @param windowBytes and the most that it grows to
 * @param sendLogBytes bound of the log of small messages; a power of two
 * @param largeSendBytes bound of copies of large messages; two are always let in
 */
public record ChannelLimits(
    long maxMessageBytes,
    int eagerLimitBytes,
    int initialWindowBytes,
    int windowBytes,
    int sendLogBytes,
    long largeSendBytes) {
  /**
   * What a message costs against the credit, besides its bytes, so that floods of empty ones are
   * bounded (R12).
   */
  public static final int MESSAGE_COST = 64;
}
