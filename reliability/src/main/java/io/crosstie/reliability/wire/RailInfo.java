// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

/**
 * What a node can receive on one rail; see {@link RailInfoFrame}.
 *
 * @param receiveBufferBytes bytes that the kernel holds for packets not yet polled; 0 where the
 *     rail has flow control of its own
 * @param maxPacketLength the longest packet to send, in bytes, at least {@link
 *     PacketHeader#MAX_HANDSHAKE_LENGTH}
 * @param lossless whether the rail neither loses nor reorders
 */
public record RailInfo(int receiveBufferBytes, int maxPacketLength, boolean lossless) {

  /** Checks the numbers. */
  public RailInfo {
    if (!isSound(receiveBufferBytes, maxPacketLength)) {
      throw new IllegalArgumentException(
          "rail out of range: receive buffer "
              + receiveBufferBytes
              + ", longest packet "
              + maxPacketLength
              + ", which has to be at least "
              + PacketHeader.MAX_HANDSHAKE_LENGTH);
    }
  }

  static boolean isSound(int receiveBufferBytes, int maxPacketLength) {
    return receiveBufferBytes >= 0 && maxPacketLength >= PacketHeader.MAX_HANDSHAKE_LENGTH;
  }
}
