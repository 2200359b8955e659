// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.checksum.ChecksumKind;

/**
 * Everything the protocol core can be told. Immutable; concluded and validated by whoever builds
 * it. All times are in nanoseconds, all sizes in bytes.
 *
 * @param name the node's {@link io.crosstie.reliability.wire.NodeName}
 * @param rank the node's rank, or -1
 * @param incarnation random number drawn at process start
 * @param checksum the payload checksum this side sends with
 * @param maxMessageBytes largest message, sent or received
 * @param eagerLimitBytes largest message that is sent without asking for a grant
 * @param channelWindowBytes the most that the credit of one channel grows to
 * @param sendLogBytes bound of one channel's send log of small messages
 * @param largePoolBytes bound of the node's memory for large messages being received
 * @param memoryBytes bound of the node's memory for small messages, sent or received, with windows
 *     that were promised
 * @param maxAckDelayNs how long an acknowledgement may wait for a ride
 * @param suspectFloorNs a rail is never suspected sooner than this after it fell silent
 * @param downNs a suspected rail is down after this more silence while another rail proves the peer
 *     alive
 * @param peerTimeoutNs the peer is lost after this much silence on all rails
 * @param keepAliveNs an idle rail is pinged this often, a lossless one a quarter as often
 * @param probesToRecover answered probes needed before a rail comes back
 * @param recoverNs and the least time over which they must stretch
 * @param reinjection whether fragments of a suspected rail are sent again on others; off only as a
 *     negative control
 * @param maxConnections bound on connections
 * @param maxChannels bound on channels per connection
 */
public record EndpointConfig(
    String name,
    int rank,
    long incarnation,
    ChecksumKind checksum,
    long maxMessageBytes,
    int eagerLimitBytes,
    int channelWindowBytes,
    int sendLogBytes,
    long largePoolBytes,
    long memoryBytes,
    long maxAckDelayNs,
    long suspectFloorNs,
    long downNs,
    long peerTimeoutNs,
    long keepAliveNs,
    int probesToRecover,
    long recoverNs,
    boolean reinjection,
    int maxConnections,
    int maxChannels) {

  /** Defaults for everything but the identity. */
  public static EndpointConfig defaults(String name, int rank, long incarnation) {
    return new EndpointConfig(
        name,
        rank,
        incarnation,
        ChecksumKind.CRC32C,
        1L << 30,
        64 << 10,
        4 << 20,
        4 << 20,
        1L << 30,
        1L << 28,
        1_000_000L,
        4_000_000L,
        50_000_000L,
        30_000_000_000L,
        1_000_000_000L,
        3,
        20_000_000L,
        true,
        4096,
        1024);
  }

  /** The credit that channels begin with where memory is short: a few short messages. */
  private static final int SHORT_CREDIT = 1 << 10;

  /**
   * The credit that each channel begins with, which is not charged before it is used: that of two
   * messages without a grant. If so much on all channels of a peer would exceed the bound of
   * memory, a sender has to ask for nearly all of its credit.
   */
  public int initialWindowBytes() {
    int usual = Math.min(channelWindowBytes, 2 * (eagerLimitBytes + 64));
    boolean fits = memoryBytes / usual >= maxChannels;
    return fits ? usual : Math.min(usual, SHORT_CREDIT);
  }

  /** The same with another bound of memory for small messages. */
  public EndpointConfig withMemoryBytes(long bytes) {
    return new EndpointConfig(
        name,
        rank,
        incarnation,
        checksum,
        maxMessageBytes,
        eagerLimitBytes,
        channelWindowBytes,
        sendLogBytes,
        largePoolBytes,
        bytes,
        maxAckDelayNs,
        suspectFloorNs,
        downNs,
        peerTimeoutNs,
        keepAliveNs,
        probesToRecover,
        recoverNs,
        reinjection,
        maxConnections,
        maxChannels);
  }

  /** The same with another bound on channels. */
  public EndpointConfig withMaxChannels(int channels) {
    return new EndpointConfig(
        name,
        rank,
        incarnation,
        checksum,
        maxMessageBytes,
        eagerLimitBytes,
        channelWindowBytes,
        sendLogBytes,
        largePoolBytes,
        memoryBytes,
        maxAckDelayNs,
        suspectFloorNs,
        downNs,
        peerTimeoutNs,
        keepAliveNs,
        probesToRecover,
        recoverNs,
        reinjection,
        maxConnections,
        channels);
  }

  /** The same with another bound on messages. */
  public EndpointConfig withMaxMessageBytes(long bytes) {
    return new EndpointConfig(
        name,
        rank,
        incarnation,
        checksum,
        bytes,
        eagerLimitBytes,
        channelWindowBytes,
        sendLogBytes,
        largePoolBytes,
        memoryBytes,
        maxAckDelayNs,
        suspectFloorNs,
        downNs,
        peerTimeoutNs,
        keepAliveNs,
        probesToRecover,
        recoverNs,
        reinjection,
        maxConnections,
        maxChannels);
  }
}
