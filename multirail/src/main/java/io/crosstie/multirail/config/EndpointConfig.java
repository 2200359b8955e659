// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.config;

import io.crosstie.checksum.Accelerator;
import io.crosstie.checksum.ChecksumKind;
import io.crosstie.reliability.channel.ChannelLimits;
import org.jspecify.annotations.Nullable;

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
 * @param maxConnections bound on connections with peers that are not configured
 * @param maxChannels bound on channels per connection
 * @param accelerator whose loops copy and sum payload, or null for Java alone
 * @param shortcuts whether short messages over shared memory are sent inline and taken in by header
 *     prediction; without it they go the way of all others, with the same result
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
    int maxChannels,
    @Nullable Accelerator accelerator,
    boolean shortcuts) {

  /** Defaults for everything but the identity; with Java alone. */
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
        1024,
        null,
        true);
  }

  /** The credit that channels begin with where memory is short: a few short messages. */
  private static final int SHORT_CREDIT = 1 << 10;

  /**
   * The credit that each channel begins with, which is not charged before it is used: that of two
   * messages without a grant. If so much on all channels of a peer would exceed the bound of
   * memory, a sender has to ask for nearly all of its credit.
   */
  public int initialWindowBytes() {
    int usual = Math.min(channelWindowBytes, 2 * (eagerLimitBytes + ChannelLimits.MESSAGE_COST));
    boolean fits = memoryBytes / usual >= maxChannels;
    return fits ? usual : Math.min(usual, SHORT_CREDIT);
  }

  /** Something like this one. */
  public Change change() {
    return new Change(this);
  }

  /** What may be told apart from a configuration that is there already. */
  public static final class Change {
    private final EndpointConfig from;
    private String name;
    private int rank;
    private long incarnation;
    private ChecksumKind checksum;
    private long maxMessageBytes;
    private long largePoolBytes;
    private long memoryBytes;
    private long peerTimeoutNs;
    private long keepAliveNs;
    private int maxConnections;
    private int maxChannels;
    private boolean shortcuts;

    private Change(EndpointConfig from) {
      this.from = from;
      this.name = from.name;
      this.rank = from.rank;
      this.incarnation = from.incarnation;
      this.checksum = from.checksum;
      this.maxMessageBytes = from.maxMessageBytes;
      this.largePoolBytes = from.largePoolBytes;
      this.memoryBytes = from.memoryBytes;
      this.peerTimeoutNs = from.peerTimeoutNs;
      this.keepAliveNs = from.keepAliveNs;
      this.maxConnections = from.maxConnections;
      this.maxChannels = from.maxChannels;
      this.shortcuts = from.shortcuts;
    }

    /** Another node. */
    public Change node(String itsName, int itsRank, long itsIncarnation) {
      name = itsName;
      rank = itsRank;
      incarnation = itsIncarnation;
      return this;
    }

    /** Another checksum. */
    public Change checksum(ChecksumKind kind) {
      checksum = kind;
      return this;
    }

    /** Another bound on messages. */
    public Change maxMessageBytes(long bytes) {
      maxMessageBytes = bytes;
      return this;
    }

    /** Another bound of the memory for large messages. */
    public Change largePoolBytes(long bytes) {
      largePoolBytes = bytes;
      return this;
    }

    /** Another bound of the memory for small messages. */
    public Change memoryBytes(long bytes) {
      memoryBytes = bytes;
      return this;
    }

    /** Another time after which a peer is lost, with keep-alives that fit. */
    public Change peerTimeoutNs(long nanos) {
      peerTimeoutNs = nanos;
      keepAliveNs = nanos / 10;
      return this;
    }

    /** Another bound on connections. */
    public Change maxConnections(int connections) {
      maxConnections = connections;
      return this;
    }

    /** Another bound on channels. */
    public Change maxChannels(int channels) {
      maxChannels = channels;
      return this;
    }

    /** With or without the short cuts of short messages. */
    public Change shortcuts(boolean on) {
      shortcuts = on;
      return this;
    }

    /** The new configuration. */
    public EndpointConfig build() {
      return new EndpointConfig(
          name,
          rank,
          incarnation,
          checksum,
          maxMessageBytes,
          from.eagerLimitBytes,
          from.channelWindowBytes,
          from.sendLogBytes,
          largePoolBytes,
          memoryBytes,
          from.maxAckDelayNs,
          from.suspectFloorNs,
          from.downNs,
          peerTimeoutNs,
          keepAliveNs,
          from.probesToRecover,
          from.recoverNs,
          from.reinjection,
          maxConnections,
          maxChannels,
          from.accelerator,
          shortcuts);
    }
  }
}
