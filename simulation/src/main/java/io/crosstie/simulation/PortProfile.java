// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * What a simulated port is like.
 *
 * @param ring shared-memory-like: ordered, lossless, with consumed positions and a bounded ring
 * @param maxPacketLength longest packet that a rail takes, in bytes
 * @param receiveBufferBytes what may wait for a poll; the rest is dropped (not for rings)
 * @param sendBufferBytes what may wait in front of the link before claims are refused (not for
 *     rings)
 * @param ringBytes size of a ring, each packet costing 16 bytes besides its own
 */
public record PortProfile(
    boolean ring, int maxPacketLength, int receiveBufferBytes, int sendBufferBytes, int ringBytes) {

  /** A datagram port. */
  public static PortProfile datagram(int maxPacketLength) {
    return new PortProfile(false, maxPacketLength, 4 << 20, 1 << 20, 0);
  }

  /** A shared-memory port. */
  public static PortProfile ring(int ringBytes) {
    return new PortProfile(true, Math.min(64 << 10, ringBytes / 4), 0, 0, ringBytes);
  }
}
