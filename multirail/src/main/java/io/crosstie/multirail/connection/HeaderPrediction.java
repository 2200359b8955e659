// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.ChecksumKind;
import io.crosstie.checksum.MemoryWords;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.SinglePacket;
import io.crosstie.transport.Counters;
import io.crosstie.transport.Rail;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes in the next one of packets that come again and again: the next message of the same channel,
 * short and by itself, over the same rail of shared memory. All of its header but the last word is
 * known beforehand, so that it is compared and not judged ({@link SinglePacket}). What differs in
 * anything is left to {@link PacketReceiver}, and what has to be done about a packet and nobody
 * waits for to {@link #settle}, in the next duty cycle.
 */
@SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // this very memory
class HeaderPrediction implements ReceiveShortcut {
  private final ChannelTable channels;
  private final Counters<ConnectionCounter> counters;
  private final Counters<EndpointCounter> endpointCounters;
  private final LongSupplier clock;
  private final LongSupplier localId;
  private final long longestBytes;
  private final FrameHandler frames;

  // the packet that is expected next, as the last one of its kind makes believe
  private final SinglePacket expected = new SinglePacket();
  private @Nullable RailPath expectedPath;
  private @Nullable Rail expectedRail;
  private @Nullable ChannelEngine expectedChannel;
  private @Nullable MemoryWords words;
  private long expectedSource;
  private boolean expectedSums;

  // what was taken as expected and is not counted yet
  private int tookPackets;
  private long tookPayload;

  /**
   * For one connection.
   *
   * @param clock the engine's time
   * @param localId the id under which the peer addresses the connection
   * @param longestBytes largest message that is taken without being asked for
   */
  HeaderPrediction(
      ChannelTable channels,
      Counters<ConnectionCounter> counters,
      Counters<EndpointCounter> endpointCounters,
      LongSupplier clock,
      LongSupplier localId,
      long longestBytes,
      FrameHandler frames) {
    this.channels = channels;
    this.counters = counters;
    this.endpointCounters = endpointCounters;
    this.clock = clock;
    this.localId = localId;
    this.longestBytes = longestBytes;
    this.frames = frames;
  }

  @Override
  public boolean take(MemorySegment memory, long base, int length, long source) {
    RailPath path = expectedPath;
    ChannelEngine channel = expectedChannel;
    MemoryWords from = words;
    Rail rail = expectedRail;
    if (path == null
        || channel == null
        || from == null
        || from.segment() != memory
        || source != expectedSource
        || rail == null
        || path.link().rail() != rail
        || !frames.isUp()) {
      return false;
    }
    if (tookPackets > 0) { // several came together
      expectNext(path, channel);
    } else {
      rail.prefetch(); // an answer may follow
    }
    int payload = takeNext(channel, from, base, length, expectedSums);
    if (payload < 0) {
      return false; // what came by other rails since then was not expected here
    }
    path.onReceived(packetNumber());
    tookPackets++;
    tookPayload += payload;
    frames.enlist();
    channels.tell(channel);
    return true;
  }

  private void expectNext(RailPath path, ChannelEngine channel) {
    number(path.lastReceived() + 1, channel.receiver().inOnWire(channel.received().accepted() + 1));
  }

  // ---- what the packets hold

  /** Takes the message in if the packet is the one that is expected: its length, else -1. */
  int takeNext(ChannelEngine channel, MemoryWords from, long base, int length, boolean sums) {
    long matched = expected.match(from, base, length);
    int payload = SinglePacket.payloadLength(matched);
    boolean taken =
        payload >= 0
            && channel
                .received()
                .onNext(
                    expected.messageNumber() - channel.receiver().inBase(),
                    from,
                    base,
                    payload,
                    SinglePacket.checksum(matched),
                    sums);
    return taken ? payload : -1;
  }

  /** The packet that is expected next has these numbers. */
  void number(long packet, long message) {
    expected.number(packet, message);
  }

  /** That of the packet. */
  long packetNumber() {
    return expected.packetNumber();
  }

  /** Bytes of their headers. */
  int headerLength() {
    return SinglePacket.HEADER_LENGTH;
  }

  /** Longest payload of theirs. */
  int maxPayload() {
    return SinglePacket.MAX_PAYLOAD;
  }

  /** Whether a packet with a header of that length may be one of them. */
  boolean isLike(byte[] header) {
    return Frames.type(header, PacketHeader.LENGTH) == Frames.EAGER;
  }

  /** From now on those are expected that are like this one; {@link #number} follows. */
  void expect(RailPath path, ChannelEngine channel, byte[] header) {
    if (!expected.isOf(path.id(), localId.getAsLong(), channel.number())) {
      expected.of(path.id(), localId.getAsLong(), channel.number());
    }
  }

  // ----

  @Override
  public void forget(ChannelEngine channel) {
    if (expectedChannel == channel) {
      settle(clock.getAsLong());
      expectedPath = null;
      expectedChannel = null;
    }
  }

  @Override
  public void forgetRails() {
    expectedPath = null;
    expectedRail = null;
    expectedChannel = null;
    words = null;
  }

  @Override
  public void settle(long nowNs) {
    RailPath path = expectedPath;
    ChannelEngine channel = expectedChannel;
    if (path == null || channel == null) {
      return;
    }
    int packets = tookPackets;
    if (packets > 0) {
      long payload = tookPayload;
      tookPackets = 0;
      tookPayload = 0;
      frames.heard(nowNs);
      path.countIn(packets, (long) packets * headerLength() + payload, nowNs);
      path.counters().add(RailCounter.PAYLOAD_IN, payload);
      counters.add(ConnectionCounter.MESSAGES_IN, packets);
      counters.add(ConnectionCounter.PREDICTED_PACKETS, packets);
      counters.add(ConnectionCounter.BYTES_IN, payload);
      endpointCounters.add(EndpointCounter.PACKETS_IN, packets);
      channels.lookAtState(channel);
    }
    expectNext(path, channel);
  }

  @Override
  public void expectMore(
      RailPath path, byte[] header, int headerLength, MemorySegment memory, long source) {
    if (headerLength != headerLength()
        || path.link().words() == null
        || !memory.isNative()
        || memory.isMapped() // a word of a truncated file may seem to be the expected one
        || !isLike(header)) {
      return;
    }
    ChannelEngine channel = channels.of(EagerFrame.channel(header, PacketHeader.LENGTH));
    ChecksumKind kind = frames.receiveChecksum().kind();
    if (channel == null
        || !channel.receiver().hasPeerUse()
        || (kind != ChecksumKind.CRC32C && kind != ChecksumKind.NONE)
        || maxPayload() > longestBytes) {
      return;
    }
    settle(clock.getAsLong());
    expectedPath = path;
    expectedRail = path.link().rail();
    expectedChannel = channel;
    expectedSource = source;
    expectedSums = kind == ChecksumKind.CRC32C;
    MemoryWords before = words;
    if (before == null || before.segment() != memory) {
      words = MemoryWords.of(memory);
    }
    expect(path, channel, header);
    expectNext(path, channel);
  }
}
