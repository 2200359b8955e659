// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/**
 * What a simulated port is like.
 *
 * @param maxPacketLength longest datagram that a rail takes, in bytes
 * @param receiveBufferBytes what may wait for a poll; the rest is dropped (not for rings)
 * @param sendBufferBytes what may wait in front of the link before claims are refused (not for
 *     rings)
 * @param ring shared memory if its size is above 0, else datagrams
 */
public record PortProfile(
    int maxPacketLength, int receiveBufferBytes, int sendBufferBytes, RingProfile ring) {

  /**
   * What shared memory is like.
   *
   * @param bytes size of a ring, a power of two from 16 KiB; 0 if there is none
   * @param streams whether payload may be stored by streaming
   * @param pulls whether the other side's memory can be read, for a single copy
   * @param pullFailurePpm how many reads of it fail, in parts per million
   * @param flaws whether some of these are not told, and have a wrong byte
   * @param unfenced whether what is stored by streaming may be seen before it is there
   */
  public record RingProfile(
      int bytes,
      boolean streams,
      boolean pulls,
      int pullFailurePpm,
      boolean flaws,
      boolean unfenced) {
    /** Datagrams. */
    public static final RingProfile NONE = plain(0, false);

    /** A ring from which nothing is copied singly. */
    public static RingProfile plain(int bytes, boolean streams) {
      return new RingProfile(bytes, streams, false, 0, false, false);
    }
  }

  /** A datagram port. */
  public static PortProfile datagram(
      int maxPacketLength, int receiveBufferBytes, int sendBufferBytes) {
    return new PortProfile(maxPacketLength, receiveBufferBytes, sendBufferBytes, RingProfile.NONE);
  }

  /** A datagram port with large buffers. */
  public static PortProfile datagram(int maxPacketLength) {
    return datagram(maxPacketLength, 4 << 20, 1 << 20);
  }

  /** A shared-memory port. */
  public static PortProfile ring(RingProfile ring) {
    return new PortProfile(0, 0, 0, ring);
  }

  /** Whether it is shared memory. */
  public boolean isRing() {
    return ring.bytes() > 0;
  }
}
