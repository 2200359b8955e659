// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailHealth;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.Recovery;
import io.crosstie.multirail.region.RegionErrors;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.FragmentVerdict;
import io.crosstie.reliability.channel.MessageLengths;
import io.crosstie.reliability.channel.PacketBytes;
import io.crosstie.reliability.channel.PlacedReceiver;
import io.crosstie.reliability.channel.PlacementChannels;
import io.crosstie.reliability.channel.PlacementTarget;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.ReceivedPackets;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.AddressesFrame;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.ChannelFinFrame;
import io.crosstie.reliability.wire.ChannelRefusedFrame;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.CloseFrame;
import io.crosstie.reliability.wire.DatagramFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.GrantFrame;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.NackFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.reliability.wire.RailGoneFrame;
import io.crosstie.reliability.wire.RailInfoFrame;
import io.crosstie.reliability.wire.ReferenceFrame;
import io.crosstie.reliability.wire.ResponseFrame;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes in one validated packet of a connection: its frames in order, its payload checked as it is
 * copied.
 */
final class PacketReceiver implements MessageLengths {
  private final Paths paths;
  private final PathLookup lookup;
  private final ChannelTable channels;
  private final Datagrams datagrams;
  private final ControlContent control;
  private final Recovery recovery;
  private final RailHealth health;
  private final ReceiveShortcut predicted;
  private final ReceiveShortcut predictedPuts;
  private final Counters<ConnectionCounter> counters;
  private final EventSink events;
  private final Supplier<String> peerName;
  private final int eagerLimitBytes;
  private final PlantedFault planted;
  private final PlacementTarget regions;
  private final FrameHandler frames;
  private final LongConsumer pairRails;

  private final PacketBytes inPacket = new PacketBytes();
  private final PulledBytes pulled;

  // the EAGER frame at hand, for length(int)
  private byte[] frameMemory = {};
  private int frameAt;

  /**
   * For one connection.
   *
   * @param predicted what is told of packets that may be the first of many alike, with messages
   * @param predictedPuts and with puts
   * @param peerName for events
   * @param eagerLimitBytes largest message that comes without being asked for
   * @param pairRails pairs local ports and the peer's addresses again, at that time
   */
  PacketReceiver(
      Paths paths,
      PathLookup lookup,
      ChannelTable channels,
      Datagrams datagrams,
      ControlContent control,
      Recovery recovery,
      RailHealth health,
      ReceiveShortcut predicted,
      ReceiveShortcut predictedPuts,
      Counters<ConnectionCounter> counters,
      EventSink events,
      Supplier<String> peerName,
      int eagerLimitBytes,
      PlantedFault planted,
      LongConsumer pairRails,
      PlacementTarget regions,
      FrameHandler frames) {
    this.paths = paths;
    this.lookup = lookup;
    this.channels = channels;
    this.datagrams = datagrams;
    this.control = control;
    this.recovery = recovery;
    this.health = health;
    this.predicted = predicted;
    this.predictedPuts = predictedPuts;
    this.counters = counters;
    this.events = events;
    this.peerName = peerName;
    this.eagerLimitBytes = eagerLimitBytes;
    this.planted = planted;
    this.regions = regions;
    this.frames = frames;
    this.pairRails = pairRails;
    this.pulled =
        planted == PlantedFault.SUMMED_AT_SOURCE ? new TrustingPulledBytes() : new PulledBytes();
  }

  @Override
  public long length(int index) {
    return EagerFrame.messageLength(frameMemory, frameAt, index);
  }

  @Override
  public boolean hasHeaders() {
    return EagerFrame.hasHeaders(frameMemory, frameAt);
  }

  @Override
  public int headerLength(int index) {
    return EagerFrame.headerLength(frameMemory, frameAt, index);
  }

  /**
   * One packet whose header was validated.
   *
   * @param header private copy of the packet's first bytes, the whole header among them
   * @param copied how many bytes they are
   * @param memory the packet as the port gave it; what else there is of payload is read from here,
   *     once
   * @param source key of the sender
   */
  void onPacket(
      RailPort port,
      int portIndex,
      byte[] header,
      int copied,
      MemorySegment memory,
      long base,
      int length,
      long source,
      long nowNs) {
    int headerLength = PacketHeader.headerLength(header, 0);
    RailPath path = lookup.of(port, portIndex, header, headerLength, source, nowNs);
    if (path == null) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      return;
    }
    paths.onHeard(nowNs);
    path.countIn(1, length, nowNs);
    frames.enlist();
    long number = PacketHeader.packetNumber(header, 0);
    boolean eliciting = false;
    if (!path.link().isLossless()) {
      control.news(); // its acknowledgement
      for (int f = PacketHeader.LENGTH; f < headerLength; f += Frames.length(header, f)) {
        eliciting |= Frames.isAckEliciting(Frames.type(header, f));
      }
      if (path.received().onPacket(number, eliciting, nowNs) != ReceivedPackets.NEW) {
        path.counters().increment(RailCounter.DUPLICATE_PACKETS);
        if (planted == PlantedFault.DATAGRAM_TWICE) {
          inPacket.of(header, copied, memory, base);
          onDatagrams(path, header, headerLength);
        }
        return;
      }
    }
    path.onReceived(number);
    int refusal = 0;
    boolean anyDatagrams = false;
    inPacket.of(header, copied, memory, base);
    int payload = headerLength;
    for (int f = PacketHeader.LENGTH; f < headerLength; f += Frames.length(header, f)) {
      int type = Frames.type(header, f);
      if (type == Frames.EAGER || type == Frames.FRAGMENT || type == Frames.REFERENCE) {
        int verdict = onData(path, type, header, f, payload);
        if (verdict == FragmentVerdict.CORRUPT) {
          refusal =
              type == Frames.REFERENCE && pulled.failed()
                  ? NackFrame.NOT_PULLED
                  : NackFrame.PAYLOAD_CHECKSUM;
        } else if (verdict == FragmentVerdict.REFUSED && refusal == 0) {
          refusal = NackFrame.NO_ROOM;
        }
        payload += Frames.payloadLength(header, f);
      } else if (type == Frames.PLACED) {
        int verdict = onPlaced(path, header, f, payload);
        if (verdict == FragmentVerdict.CORRUPT) {
          refusal = NackFrame.PAYLOAD_CHECKSUM;
        } else if (verdict == FragmentVerdict.REFUSED && refusal == 0) {
          refusal = NackFrame.NO_ROOM;
        }
        payload += Frames.payloadLength(header, f);
      } else if (type == Frames.DATAGRAM) {
        anyDatagrams = true;
        payload += Frames.payloadLength(header, f);
      } else {
        if (type == Frames.PADDING) {
          payload += Frames.payloadLength(header, f);
        }
        control.news();
        onFrame(path, type, header, f, nowNs);
        if (frames.isOver()) {
          return;
        }
      }
    }
    if (refusal != 0) { // no datagram of it is told, for the network may repeat it
      control.news();
      refuse(path, number, refusal);
    } else {
      if (anyDatagrams) {
        onDatagrams(path, header, headerLength);
      }
      predicted.expectMore(path, header, headerLength, memory, source);
      predictedPuts.expectMore(path, header, headerLength, memory, source);
    }
  }

  /** The datagrams of a packet that counts as received; one that is corrupt is dropped. */
  private void onDatagrams(RailPath path, byte[] header, int headerLength) {
    boolean corrupt = false;
    int payload = headerLength;
    for (int f = PacketHeader.LENGTH; f < headerLength; f += Frames.length(header, f)) {
      int length = Frames.payloadLength(header, f);
      if (Frames.type(header, f) == Frames.DATAGRAM) {
        corrupt |=
            !datagrams.onDatagram(
                path,
                DatagramFrame.headerLength(header, f),
                length,
                DatagramFrame.checksum(header, f),
                frames.receiveChecksum(),
                inPacket.at(payload));
      }
      payload += length;
    }
    if (corrupt) {
      countCorrupt(path);
    }
  }

  private void countCorrupt(RailPath path) {
    path.counters().increment(RailCounter.CRC_FAILURES);
    events.onEvent(new NodeEvent.PayloadCorrupt(peerName.get(), path.id(), path.link().name()));
  }

  /**
   * A packet that must not be acknowledged: it is named to the sender, who sends the content again.
   */
  private void refuse(RailPath path, long number, int reason) {
    if (!path.link().isLossless() && planted != PlantedFault.REFUSED_IS_ACKNOWLEDGED) {
      path.received().undo(number);
    }
    if (reason == NackFrame.NOT_PULLED && planted == PlantedFault.PULL_FAILURE_UNTOLD) {
      return;
    }
    if (reason == NackFrame.PAYLOAD_CHECKSUM) {
      countCorrupt(path);
      control.nack(path.id(), number, reason);
    } else if (reason == NackFrame.NOT_PULLED) {
      path.probing().infoNow(); // it says that the peer had better send the bytes themselves
      control.nack(path.id(), number, reason);
    } else {
      path.counters().increment(RailCounter.REFUSED);
    }
  }

  /**
   * @param payload where its bytes begin in the packet
   */
  private int onData(RailPath path, int type, byte[] header, int f, int payload) {
    boolean whole = type == Frames.EAGER;
    int number = whole ? EagerFrame.channel(header, f) : FragmentFrame.channel(header, f);
    long seq =
        channels.find(
            number,
            whole ? EagerFrame.firstMessage(header, f) : FragmentFrame.messageNumber(header, f));
    if (seq < 0) {
      return onNoChannel(path, seq);
    }
    ChannelEngine channel = channels.found(number);
    if (!frames.isUp() && channel.core().terminalStatus() != 0) {
      return FragmentVerdict.REFUSED;
    }
    int bytes =
        whole ? EagerFrame.payloadLength(header, f) : FragmentFrame.payloadLength(header, f);
    long before = channel.received().accepted();
    long bytesBefore = channel.received().acceptedBytes();
    int verdict;
    if (whole) {
      frameMemory = header;
      frameAt = f;
      verdict =
          channel
              .received()
              .onEager(
                  seq,
                  EagerFrame.count(header, f),
                  this,
                  bytes,
                  EagerFrame.checksum(header, f),
                  frames.receiveChecksum(),
                  inPacket.at(payload));
    } else {
      verdict =
          channel
              .received()
              .onFragment(
                  seq,
                  FragmentFrame.headerLength(header, f),
                  FragmentFrame.messageLength(header, f),
                  FragmentFrame.offset(header, f),
                  bytes,
                  FragmentFrame.checksum(header, f),
                  frames.receiveChecksum(),
                  type == Frames.REFERENCE
                      ? pulled.at(path.link().rail(), ReferenceFrame.address(header, f))
                      : inPacket.at(payload));
    }
    switch (verdict) {
      case FragmentVerdict.ACCEPTED -> {
        path.counters().add(RailCounter.PAYLOAD_IN, bytes);
        long delivered = channel.received().accepted() - before;
        if (delivered == 0) {
          return verdict; // nothing has changed that anybody would have to be told
        }
        counters.add(ConnectionCounter.MESSAGES_IN, delivered);
        counters.add(ConnectionCounter.BYTES_IN, channel.received().acceptedBytes() - bytesBefore);
        channels.tell(channel);
        channels.lookAtState(channel);
        return verdict;
      }
      case FragmentVerdict.DUPLICATE -> {
        path.counters().increment(RailCounter.DUPLICATE_FRAGMENTS);
        channel.receiver().forceState(); // acknowledge again, never deliver again (R10)
      }
      case FragmentVerdict.SENSELESS -> counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      default -> {}
    }
    channels.look(channel);
    channels.queueIfRefused(channel);
    return verdict;
  }

  /**
   * A part of a message that has its place in a region.
   *
   * @param payload where its bytes begin in the packet
   */
  private int onPlaced(RailPath path, byte[] header, int f, int payload) {
    int number = FragmentFrame.channel(header, f);
    int kind = PlacedFrame.kind(header, f);
    boolean isAnswer = kind == PlacedKind.ANSWER;
    boolean isThere =
        PlacementChannels.exists(number) && PlacementChannels.isForAnswers(number) == isAnswer;
    long seq =
        isThere
            ? channels.find(number, FragmentFrame.messageNumber(header, f))
            : ChannelTable.NEVER;
    if (seq < 0) {
      counters.add(ConnectionCounter.PROTOCOL_ERRORS, isThere ? 0 : 1);
      return onNoChannel(path, seq);
    }
    ChannelEngine channel = channels.found(number);
    if (!frames.isUp() && channel.core().terminalStatus() != 0) {
      return FragmentVerdict.REFUSED;
    }
    int bytes = FragmentFrame.payloadLength(header, f);
    long before = channel.received().accepted();
    PlacedReceiver placed = channel.received().placed();
    if (placed == null) {
      throw new IllegalStateException("channel " + number + " places nothing");
    }
    int verdict =
        placed.onPart(
            seq,
            FragmentFrame.messageLength(header, f),
            FragmentFrame.headerLength(header, f),
            FragmentFrame.offset(header, f),
            bytes,
            FragmentFrame.checksum(header, f),
            frames.receiveChecksum(),
            inPacket.at(payload),
            PlacedFrame.key(header, f),
            PlacedFrame.targetOffset(header, f),
            kind,
            regions);
    switch (verdict) {
      case FragmentVerdict.ACCEPTED -> {
        path.counters().add(RailCounter.PAYLOAD_IN, bytes);
        long accepted = channel.received().accepted() - before;
        counters.add(ConnectionCounter.MESSAGES_IN, accepted);
        counters.add(ConnectionCounter.BYTES_IN, bytes);
        if (accepted > 0) {
          channels.onPlaced(channel);
          channels.lookAtState(channel);
        }
        channels.tell(channel); // a notification may be there, out of its turn
        return verdict;
      }
      case FragmentVerdict.DUPLICATE -> {
        path.counters().increment(RailCounter.DUPLICATE_FRAGMENTS);
        channel.receiver().forceState();
      }
      case FragmentVerdict.UNWANTED -> counters.increment(ConnectionCounter.PLACED_REFUSED);
      case FragmentVerdict.SENSELESS -> counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      default -> {}
    }
    channels.look(channel);
    channels.queueIfRefused(channel);
    return verdict;
  }

  private void onMessageRefused(byte[] h, int f) {
    ChannelEngine channel = channels.of(MessageRefusedFrame.channel(h, f));
    if (channel == null || !channel.sender().hasUse()) {
      return;
    }
    int reason = MessageRefusedFrame.reason(h, f);
    long seq = MessageRefusedFrame.messageNumber(h, f) - channel.sender().outBase();
    if (channel.sender().onRefused(seq, reason, RegionErrors.text(reason))) {
      channels.look(channel);
    }
  }

  private static int onNoChannel(RailPath path, long why) {
    if (why == ChannelTable.FORMER) {
      path.counters().increment(RailCounter.DUPLICATE_FRAGMENTS);
      return FragmentVerdict.DUPLICATE;
    }
    // if there will never be one it is acknowledged: to be sent again is of no use
    return why == ChannelTable.LATER ? FragmentVerdict.REFUSED : FragmentVerdict.SENSELESS;
  }

  private void onFrame(RailPath path, int type, byte[] h, int f, long nowNs) {
    switch (type) {
      case Frames.PADDING, Frames.PING -> {}
      case Frames.ACK -> {
        RailPath of = known(AckFrame.rail(h, f));
        if (of != null) {
          boolean sent = health.onAck(of, path, h, f, nowNs);
          counters.add(ConnectionCounter.PROTOCOL_ERRORS, sent ? 0 : 1);
        }
      }
      case Frames.NACK -> {
        RailPath of = known(NackFrame.rail(h, f));
        if (of != null && NackFrame.packetNumber(h, f) < of.sent().nextNumber()) {
          health.onNack(of, NackFrame.packetNumber(h, f), nowNs);
        }
      }
      case Frames.CHANNEL_STATE -> onState(h, f);
      case Frames.RTS -> onAnnounce(h, f);
      case Frames.CTS -> {
        ChannelEngine channel = channels.of(GrantFrame.channel(h, f));
        if (channel != null
            && channel.sender().hasUse()
            && channel
                .sender()
                .onGrant(
                    GrantFrame.messageNumber(h, f) - channel.sender().outBase(),
                    GrantFrame.round(h, f))) {
          sendAgain(channel);
          channels.look(channel);
        }
      }
      case Frames.REVOKE -> {
        ChannelEngine channel = channels.of(GrantFrame.channel(h, f));
        long from =
            channel == null ? 0 : GrantFrame.messageNumber(h, f) - channel.sender().outBase();
        if (channel != null
            && channel.sender().hasUse()
            && from > 0
            && channel.sender().onRevoke(from, GrantFrame.round(h, f))) {
          counters.increment(ConnectionCounter.GRANTS_LOST);
          channels.look(channel);
        }
      }
      case Frames.CHANNEL_FIN -> {
        int number = ChannelFinFrame.channel(h, f);
        long last = ChannelFinFrame.lastMessageNumber(h, f);
        long seq = channels.find(number, last);
        if (seq >= 0) {
          channels.onFin(channels.found(number), seq);
        } else if (seq == ChannelTable.FORMER) {
          control.ended(number, last);
        }
      }
      case Frames.ABORT -> onAbort(AbortFrame.channel(h, f), AbortFrame.messageNumber(h, f));
      case Frames.CHALLENGE -> {
        path.probing().onChallenge(ChallengeFrame.token(h, f));
      }
      case Frames.RESPONSE -> health.onResponse(path, ResponseFrame.token(h, f), nowNs);
      case Frames.RAIL_INFO -> {
        path.link().onPeerPulls((RailInfoFrame.flags(h, f) & RailInfoFrame.PULLS) != 0);
        if (!path.link().isLossless()) {
          path.limit(RailInfoFrame.receiveBufferBytes(h, f), RailInfoFrame.maxPacketLength(h, f));
        }
      }
      case Frames.ADDRESSES ->
          frames.onAddresses(
              AddressesFrame.generation(h, f), AddressesFrame.addresses(h, f), nowNs);
      case Frames.CLOSE ->
          frames.onPeerClose((CloseFrame.flags(h, f) & CloseFrame.ACKNOWLEDGES) != 0, nowNs);
      case Frames.RAIL_GONE -> {
        RailPath of = known(RailGoneFrame.rail(h, f));
        if (of != null) {
          health.remove(of, nowNs);
          pairRails.accept(nowNs); // its port may be in again by now
        }
      }
      case Frames.MESSAGE_REFUSED -> onMessageRefused(h, f);
      case Frames.CHANNEL_REFUSED -> channels.onPeerRefused(ChannelRefusedFrame.channel(h, f));
      default -> {} // an extension that this version does not know
    }
  }

  /** Messages whose first grant was revoked are granted anew: what had left of them counts not. */
  private void sendAgain(ChannelEngine channel) {
    for (long seq = channel.sender().takeRevoked();
        seq != 0;
        seq = channel.sender().takeRevoked()) {
      if (planted != PlantedFault.REVOKED_NOT_AGAIN && !recovery.resendMessage(channel, seq)) {
        channels.look(channel);
      }
    }
  }

  /** After a stall, what else the peer may have refused. */
  private void sendMissed(ChannelEngine channel) {
    long first = channel.sender().firstUnaccepted();
    int count = recovery.reinjects() ? channel.sender().takeMissed() : 0;
    for (int i = 0; i < count; i++) {
      if (!recovery.resendMessage(channel, first + i)) {
        channels.look(channel);
      }
    }
  }

  private @Nullable RailPath known(int rail) {
    return rail < paths.count() ? paths.get(rail) : null;
  }

  private void onState(byte[] h, int f) {
    ChannelEngine channel = channels.of(ChannelStateFrame.channel(h, f));
    if (channel == null) {
      return;
    }
    long base = channel.sender().outBase();
    if (!channel.sender().hasUse() || ChannelStateFrame.accepted(h, f) < base) {
      counters.add(ConnectionCounter.FORMER_USE_IN, channel.sender().hasUse() ? 1 : 0);
      return;
    }
    long before = channel.core().acceptedSequence();
    int news =
        channel
            .sender()
            .onPeerState(
                ChannelStateFrame.accepted(h, f) - base,
                ChannelStateFrame.consumed(h, f) - base,
                ChannelStateFrame.creditLimit(h, f));
    if (news >= 0 && (ChannelStateFrame.flags(h, f) & ChannelStateFrame.FIN_KNOWN) != 0) {
      news |= channel.sender().onFinConfirmed() ? 1 : 0;
    }
    if (news < 0) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
    } else if (news > 0) {
      counters.add(ConnectionCounter.MESSAGES_ACCEPTED, channel.core().acceptedSequence() - before);
      channels.tell(channel);
      channels.look(channel);
      channels.trimFinished(channel);
      sendMissed(channel);
    }
  }

  private void onAbort(int number, long onWire) {
    long seq = channels.find(number, onWire);
    if (seq < 0) {
      return;
    }
    ChannelEngine channel = channels.found(number);
    if (channel.receiver().onAbort(seq) == FragmentVerdict.SENSELESS) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
    } else {
      if (channel.isPlacement()) {
        channels.onPlaced(channel);
      }
      channels.tell(channel);
      channels.look(channel);
    }
  }

  private void onAnnounce(byte[] h, int f) {
    int number = RtsFrame.channel(h, f);
    long seq = channels.find(number, RtsFrame.messageNumber(h, f));
    if (seq < 0) {
      return;
    }
    ChannelEngine channel = channels.found(number);
    long length = RtsFrame.messageLength(h, f);
    if (channel.received().isBeyondAnnouncing(seq)) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
      return;
    }
    boolean isLarge = length > eagerLimitBytes && !channel.isPlacement();
    if (length == 0) {
      channel.receiver().onAsked(seq); // its sender waits for nothing but the answer
    } else if (!isLarge || channel.received().isBeyondCredit(seq)) {
      channels.onSenderWaits(channel, seq);
    }
    if (isLarge
        && !channels.requestGrant(
            channel, seq, length, RtsFrame.behind(h, f), RtsFrame.round(h, f))) {
      counters.increment(ConnectionCounter.PROTOCOL_ERRORS);
    }
    channel.receiver().forceState(); // also the answer to a window probe
    channels.look(channel);
  }

  /**
   * Whether the peer only answers a CLOSE: two that both have closed must not go on answering each
   * other.
   */
  static boolean answersClose(byte[] h) {
    int headerLength = PacketHeader.headerLength(h, 0);
    for (int f = PacketHeader.LENGTH; f < headerLength; f += Frames.length(h, f)) {
      if (Frames.type(h, f) == Frames.CLOSE
          && (CloseFrame.flags(h, f) & CloseFrame.ACKNOWLEDGES) != 0) {
        return true;
      }
    }
    return false;
  }
}
