// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

/**
 * What a node tells its peer about its limits.
 *
 * @param maxMessageLength the longest message it takes, in bytes, 1 or more
 * @param checksumCode the wire code of the checksum in the payloads it sends; the receiver may know
 *     no such kind
 * @param channelCredit bytes that may be sent on each channel before the first credit arrives
 * @param eagerLimit the longest message it takes without an announcement, in bytes
 * @param maxAckDelayMicros how long it keeps an acknowledgement back at most, in microseconds,
 *     below 2<sup>31</sup>
 */
public record Limits(
    long maxMessageLength,
    int checksumCode,
    long channelCredit,
    long eagerLimit,
    int maxAckDelayMicros) {

  /** Checks the numbers. */
  public Limits {
    if (!isSound(maxMessageLength, checksumCode, channelCredit, eagerLimit, maxAckDelayMicros)) {
      throw new IllegalArgumentException(
          "limits out of range: longest message "
              + maxMessageLength
              + ", checksum code "
              + checksumCode
              + ", channel credit "
              + channelCredit
              + ", eager limit "
              + eagerLimit
              + ", ack delay "
              + maxAckDelayMicros);
    }
  }

  static boolean isSound(
      long maxMessageLength,
      int checksumCode,
      long channelCredit,
      long eagerLimit,
      int maxAckDelayMicros) {
    return maxMessageLength >= 1
        && checksumCode >= 0
        && checksumCode <= 0xff
        && channelCredit >= 0
        && eagerLimit >= 0
        && maxAckDelayMicros >= 0;
  }
}
