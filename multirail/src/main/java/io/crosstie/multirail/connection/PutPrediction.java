// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.MemoryWords;
import io.crosstie.multirail.event.EndpointCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.PlacedReceiver;
import io.crosstie.reliability.channel.PlacementTarget;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.SinglePut;
import io.crosstie.transport.Counters;
import java.util.function.LongSupplier;

/** The same for short puts, one behind the other on a placement channel ({@link SinglePut}). */
final class PutPrediction extends HeaderPrediction {
  private final ChannelTable channels;
  private final LongSupplier localId;
  private final PlacementTarget regions;
  private final SinglePut expected = new SinglePut();

  /**
   * For one connection.
   *
   * @param longestBytes largest message that is taken
   * @param regions where they go
   */
  PutPrediction(
      ChannelTable channels,
      Counters<ConnectionCounter> counters,
      Counters<EndpointCounter> endpointCounters,
      LongSupplier clock,
      LongSupplier localId,
      long longestBytes,
      PlacementTarget regions,
      FrameHandler frames) {
    super(channels, counters, endpointCounters, clock, localId, longestBytes, frames);
    this.channels = channels;
    this.localId = localId;
    this.regions = regions;
  }

  @Override
  int takeNext(ChannelEngine channel, MemoryWords from, long base, int length, boolean sums) {
    PlacedReceiver placed = channel.received().placed();
    boolean taken =
        placed != null
            && expected.match(from, base, length)
            && placed.onNext(
                expected.messageNumber() - channel.receiver().inBase(),
                expected,
                from,
                base,
                sums,
                regions);
    if (!taken) {
      return -1;
    }
    channels.onPlaced(channel);
    return expected.payloadLength();
  }

  @Override
  void number(long packet, long message) {
    expected.number(packet, message);
  }

  @Override
  long packetNumber() {
    return expected.packetNumber();
  }

  @Override
  int headerLength() {
    return SinglePut.HEADER_LENGTH;
  }

  @Override
  int maxPayload() {
    return SinglePut.MAX_PAYLOAD;
  }

  @Override
  boolean isLike(byte[] header) {
    int f = PacketHeader.LENGTH;
    return Frames.type(header, f) == Frames.PLACED
        && PlacedFrame.kind(header, f) == PlacedKind.PUT
        && FragmentFrame.payloadLength(header, f) == FragmentFrame.messageLength(header, f);
  }

  @Override
  void expect(RailPath path, ChannelEngine channel, byte[] header) {
    int notification = FragmentFrame.headerLength(header, PacketHeader.LENGTH);
    if (!expected.isOf(path.id(), localId.getAsLong(), channel.number(), notification)) {
      expected.of(path.id(), localId.getAsLong(), channel.number(), notification);
    }
  }
}
