// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.LostItems;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.Probing;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.SentItem;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.wire.AbortFrame;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.AddressesFrame;
import io.crosstie.reliability.wire.ChallengeFrame;
import io.crosstie.reliability.wire.ChannelFinFrame;
import io.crosstie.reliability.wire.ChannelRefusedFrame;
import io.crosstie.reliability.wire.ChannelStateFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.GrantFrame;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import io.crosstie.reliability.wire.NackFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PingFrame;
import io.crosstie.reliability.wire.RailGoneFrame;
import io.crosstie.reliability.wire.RailInfoFrame;
import io.crosstie.reliability.wire.ResponseFrame;
import io.crosstie.reliability.wire.RtsFrame;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import java.util.ArrayDeque;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What packets take along besides messages: acknowledgements, what rails ask and answer each other,
 * the states of channels, announcements and grants. Knows what is due, and puts it in where there
 * is room.
 */
final class ControlContent implements LostItems {
  private static final int MAX_NACKS = 64;

  /** Whose end is not confirmed tells it again. */
  private static final int MAX_ENDS = 64;

  /** The end of a use that is over, which the peer does not know. */
  private record End(int channel, long last) {}

  private final Paths paths;
  private final ChannelTable channels;
  private final Datagrams datagrams;
  private final PortTable ports;
  private final RandomGenerator random;
  private final long maxAckDelayNs;
  private final PlantedFault planted;
  private final PacketAssembler assembler;
  private final ArrayDeque<long[]> nacks = new ArrayDeque<>();
  private long goneRails;
  private final ArrayDeque<End> ends = new ArrayDeque<>();

  /** The peer has to be told where this node can be reached. */
  private boolean addressesDue;

  /** Until then there is nothing to say, unless there are {@link #news}. */
  private long quietUntilNs = Long.MIN_VALUE;

  /**
   * For one connection.
   *
   * @param random for the tokens of challenges
   * @param maxAckDelayNs how long an acknowledgement, or a channel's state, may wait for a ride
   */
  ControlContent(
      Paths paths,
      ChannelTable channels,
      Datagrams datagrams,
      PortTable ports,
      PacketAssembler assembler,
      RandomGenerator random,
      long maxAckDelayNs,
      PlantedFault planted) {
    this.paths = paths;
    this.channels = channels;
    this.datagrams = datagrams;
    this.ports = ports;
    this.assembler = assembler;
    this.random = random;
    this.maxAckDelayNs = maxAckDelayNs;
    this.planted = planted;
  }

  // ---- what others ask to be sent ----

  /** A payload failed, or had no room. */
  void nack(int rail, long packetNumber, int reason) {
    if (nacks.size() < MAX_NACKS) {
      nacks.addLast(new long[] {rail, packetNumber, reason});
    }
  }

  /**
   * The peer ended a channel once more that is over: it does not know that everything up to that
   * number on the wire is consumed.
   */
  void ended(int number, long last) {
    End end = new End(number, last);
    if (ends.size() < MAX_ENDS && !ends.contains(end)) {
      ends.addLast(end);
    }
    news();
  }

  /** The peer has to be told where this node can be reached, or has just been told. */
  void addressesDue(boolean due) {
    addressesDue = due;
  }

  /** The peer has to be told that a rail was removed, if it still is. */
  void railGone(int rail) {
    RailPath path = paths.get(rail);
    if (path != null && path.state() == RailState.REMOVED) {
      goneRails |= 1L << rail;
    }
  }

  /** It was put in again. */
  void railIsThere(int rail) {
    goneRails &= ~(1L << rail);
  }

  @Override
  public void again(
      byte kind, @Nullable ChannelEngine channel, long first, long offset, int length) {
    switch (kind) {
      case SentItem.ADDRESSES -> addressesDue = true;
      case SentItem.RAIL_GONE -> railGone((int) first);
      case SentItem.NACK -> nack(length, first, (int) offset);
      case SentItem.CHANNEL_REFUSED -> channels.tellRefusal((int) first);
      case SentItem.DATAGRAM -> datagrams.lost(1);
      default -> {
        if (channel != null && (kind == SentItem.STATE || !channel.core().isFreed())) {
          again(channel, kind, first);
        }
      }
    }
  }

  private void again(ChannelEngine channel, byte kind, long first) {
    switch (kind) {
      case SentItem.STATE -> channel.receiver().forceState();
      case SentItem.RTS -> channel.sender().retransmitRts(first);
      case SentItem.CTS -> channel.receiver().retransmitCts(first);
      case SentItem.REVOKE -> channel.receiver().retransmitRevoke();
      case SentItem.FIN -> channel.sender().finSent(false);
      case SentItem.ABORT -> channel.sender().retransmitAbort(first);
      case SentItem.MESSAGE_REFUSED -> {
        if (planted != PlantedFault.REFUSAL_NOT_AGAIN) {
          channel.receiver().retransmitRefusal(first);
        }
      }
      default -> throw new IllegalStateException("unknown item " + kind);
    }
    channels.look(channel);
  }

  /**
   * The packet at hand does not leave: what the rail said in it, of which no item tells, is due.
   */
  void takeBack(RailPath path, long nowNs) {
    PacketAssembler b = assembler;
    byte[] header = b.header();
    for (int f = PacketHeader.LENGTH; f < b.at(); f += Frames.length(header, f)) {
      switch (Frames.type(header, f)) {
        case Frames.CHALLENGE -> path.probing().challengeNow(); // with the same token
        case Frames.RESPONSE -> path.probing().respondAgain();
        case Frames.RAIL_INFO -> path.probing().infoNow();
        case Frames.ACK -> {
          RailPath of = paths.get(AckFrame.rail(header, f));
          if (of != null) {
            of.received().onAckNotSent(nowNs);
          }
        }
        case Frames.CHANNEL_STATE -> path.batch().onStateTakenBack();
        default -> {}
      }
    }
    news();
  }

  // ---- what is due ----

  /**
   * Something may have become due, so that it has to be looked for: a packet came with other things
   * than messages or over a rail that is acknowledged, a timer ran, a channel's state changed, or
   * somebody outside wants something. Between two of these every packet is spared the search.
   */
  void news() {
    quietUntilNs = Long.MIN_VALUE;
  }

  /** Whether it is known that nothing is due. */
  boolean isQuiet(long nowNs) {
    return nowNs < quietUntilNs && !channels.hasNews();
  }

  /** All was looked for, and nothing was due. */
  void settle(long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      // what rides in the next packet: at once, or from a time on that only its record knows
      if (path != null
          && (path.probing().isInfoDue()
              || (!path.link().isLossless() && path.received().hasAckToSend()))) {
        return;
      }
    }
    channels.newsTold();
    quietUntilNs = Math.min(nowNs + maxAckDelayNs, channels.stateDeadlineNs());
  }

  /** Whether this rail itself has something to say. A lossless one acknowledges nothing. */
  boolean isDueOn(RailPath path, long nowNs) {
    return path.probing().isDue()
        || (!path.link().isLossless()
            && path.state() == RailState.ACTIVE
            && (path.received().isAckDue(nowNs) || path.size().due(nowNs) != 0));
  }

  /** Whether the connection has something to say on any rail. */
  boolean isDue(long nowNs) {
    if (!nacks.isEmpty()
        || goneRails != 0
        || addressesDue
        || channels.attentions() > 0
        || channels.isRefusalDue()
        || !ends.isEmpty()
        || channels.isStateDue(nowNs)) {
      return true;
    }
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null
          && !path.link().isLossless()
          && !ackable(path)
          && path.received().isAckDue(nowNs)) {
        return true;
      }
    }
    return false;
  }

  /** Whether a rail carries the acknowledgements of its own packets. */
  private static boolean ackable(RailPath path) {
    return path.isUsable();
  }

  // ---- into the packet at hand ----

  /** Puts in what is due and fits. */
  void put(RailPath path, long nowNs) {
    // over a network a channel's state rides sooner than it has to leave
    if (isQuiet(nowNs) && (path.link().isLossless() || !channels.isAnyDirty())) {
      return;
    }
    putRailContent(path, nowNs);
    putAcks(path, nowNs);
    putCommon();
    putState(path, nowNs);
  }

  private void putRailContent(RailPath path, long nowNs) {
    PacketAssembler b = assembler;
    Probing probing = path.probing();
    if (probing.isChallengeDue()) {
      long token = probing.takeChallenge(random, nowNs);
      path.counters().increment(RailCounter.PROBES_OUT);
      b.added(ChallengeFrame.encode(b.header(), b.at(), path.id(), 0, token), true);
    }
    if (probing.isResponseDue()) {
      long token = probing.takeResponse();
      b.added(ResponseFrame.encode(b.header(), b.at(), path.id(), 0, token), true);
    }
    Rail rail = path.link().rail();
    if (probing.isInfoDue() && rail != null) {
      probing.takeInfo();
      int flags =
          (path.link().isLossless() ? RailInfoFrame.LOSSLESS : 0)
              | (rail.pulls() ? RailInfoFrame.PULLS : 0);
      int buffer = rail.port().attributes().receiveBufferBytes();
      b.added(
          RailInfoFrame.encode(
              b.header(), b.at(), path.id(), flags, buffer, rail.maxPacketLength()),
          true);
    }
    if (probing.isPingDue()) {
      b.added(PingFrame.encode(b.header(), b.at()), true);
    }
  }

  private void putAcks(RailPath path, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath of = paths.get(i);
      if (of == null || of.link().isLossless() || !of.received().isAckWorthwhile(nowNs)) {
        continue;
      }
      if (of == path
          ? !ackable(of) && paths.anyUsable() // it may be dead; another carries them when due
          : ackable(of) || !of.received().isAckDue(nowNs)) {
        continue;
      }
      PacketAssembler b = assembler;
      int room = Math.min(b.frameRoom(), 272);
      int length =
          b.hasItemRoom() ? of.received().writeAck(b.header(), b.at(), room, of.id(), nowNs) : 0;
      if (length > 0) {
        long largest = of.received().largest();
        of.received().onAckSent(nowNs);
        b.added(length, false);
        b.item(SentItem.ACK, null, largest, 0, of.id());
        of.counters().increment(RailCounter.ACKS_OUT);
      }
    }
  }

  private void putCommon() {
    PacketAssembler b = assembler;
    if (addressesDue && b.hasItemRoom()) {
      List<RailAddress> addresses = ports.localAddresses();
      int length = AddressesFrame.length(addresses);
      if (length <= b.frameRoom()) {
        addressesDue = false;
        b.added(
            AddressesFrame.encode(b.header(), b.at(), ports.addressGeneration(), addresses), true);
        b.item(SentItem.ADDRESSES, null, 0, 0, 0);
      }
    }
    while (goneRails != 0 && b.hasItemRoom() && b.frameRoom() >= RailGoneFrame.LENGTH) {
      int gone = Long.numberOfTrailingZeros(goneRails);
      goneRails &= goneRails - 1;
      b.added(RailGoneFrame.encode(b.header(), b.at(), gone), true);
      b.item(SentItem.RAIL_GONE, null, gone, 0, 0);
    }
    while (!nacks.isEmpty() && b.hasItemRoom() && b.frameRoom() >= NackFrame.LENGTH) {
      long[] nack = nacks.removeFirst();
      b.added(NackFrame.encode(b.header(), b.at(), (int) nack[0], (int) nack[2], nack[1]), true);
      b.item(SentItem.NACK, null, nack[1], nack[2], (int) nack[0]);
      RailPath of = paths.get((int) nack[0]);
      if (of != null) {
        of.counters().increment(RailCounter.NACKS_OUT);
      }
    }
    while (channels.isRefusalDue()
        && b.hasItemRoom()
        && b.frameRoom() >= ChannelRefusedFrame.LENGTH) {
      int number = channels.takeRefusal();
      int reason = ChannelRefusedFrame.NO_MORE_CHANNELS;
      b.added(ChannelRefusedFrame.encode(b.header(), b.at(), number, reason), true);
      b.item(SentItem.CHANNEL_REFUSED, null, number, 0, 0);
    }
    while (!ends.isEmpty() && b.frameRoom() >= ChannelStateFrame.LENGTH) {
      End end = ends.removeFirst();
      int flags = ChannelStateFrame.FIN_KNOWN;
      long last = end.last; // if this is lost, the peer asks again
      b.added(
          ChannelStateFrame.encode(b.header(), b.at(), flags, end.channel, last, last, 0), true);
    }
    int most = (ChannelSender.FIRST_UNANSWERED + 1) * RtsFrame.LENGTH;
    for (int left = channels.attentions();
        left > 0 && b.hasItemRoom() && b.frameRoom() >= most;
        left--) {
      ChannelEngine channel = channels.takeAttention();
      putAttention(channel);
      channels.look(channel); // back into the list if something is left
    }
  }

  private void putAttention(ChannelEngine channel) {
    PacketAssembler b = assembler;
    if (channel.receiver().isRevokeDue()) {
      long from = channel.receiver().takeRevoke();
      long number = channel.receiver().inOnWire(from);
      int round = channel.receiver().grantRound();
      b.added(
          GrantFrame.encode(b.header(), b.at(), Frames.REVOKE, channel.number(), number, round),
          true);
      b.item(SentItem.REVOKE, channel, from, 0, 0);
    } else if (channel.receiver().grantDue() != 0) {
      long seq = channel.receiver().grantDue();
      channel.receiver().grantSent();
      long number = channel.receiver().inOnWire(seq);
      int round = channel.receiver().grantRound();
      b.added(
          GrantFrame.encode(b.header(), b.at(), Frames.CTS, channel.number(), number, round), true);
      b.item(SentItem.CTS, channel, seq, 0, 0);
    } else if (channel.receiver().isRefusalDue()) {
      long seq = channel.receiver().takeRefusal();
      int reason = channel.receiver().refusalReason(seq);
      long number = channel.receiver().inOnWire(seq);
      b.added(
          MessageRefusedFrame.encode(b.header(), b.at(), channel.number(), number, reason), true);
      b.item(SentItem.MESSAGE_REFUSED, channel, seq, 0, 0);
    } else if (channel.sender().isAbortDue()) {
      long seq = channel.sender().takeAbort();
      b.added(
          AbortFrame.encode(b.header(), b.at(), channel.number(), channel.sender().onWire(seq)),
          true);
      b.item(SentItem.ABORT, channel, seq, 0, 0);
    } else if (channel.sender().isRtsDue()) {
      int room = b.frameRoom() / RtsFrame.LENGTH;
      int count = Math.min(room, channel.sender().announcements());
      for (int i = 0; i < count; i++) {
        long seq = channel.sender().announcement(i);
        long length = channel.sender().announcedLength(i);
        int behind = channel.sender().announcedBehind(i);
        long number = channel.sender().onWire(seq);
        int round = channel.sender().round();
        b.added(
            RtsFrame.encode(b.header(), b.at(), channel.number(), number, length, behind, round),
            true);
      }
      b.item(SentItem.RTS, channel, channel.sender().announcement(0), 0, 0);
      channel.sender().announceSent(count);
    } else if (channel.sender().isFinDue()) {
      channel.sender().finSent(true);
      long last = channel.sender().onWire(channel.sent().tail());
      b.added(ChannelFinFrame.encode(b.header(), b.at(), channel.number(), last), true);
      b.item(SentItem.FIN, channel, 0, 0, 0);
    }
  }

  /**
   * One dirty channel per packet, in turn, when it has waited for an eighth of the delay, so that
   * not every message brings one; over shared memory only when it cannot wait any longer.
   */
  private void putState(RailPath path, long nowNs) {
    PacketAssembler b = assembler;
    if (path.batch().hasState() || !b.hasItemRoom() || b.frameRoom() < ChannelStateFrame.LENGTH) {
      return;
    }
    long patience = path.link().isLossless() ? maxAckDelayNs : maxAckDelayNs / 8;
    ChannelEngine channel = channels.takeDirty(patience, nowNs);
    if (channel == null) {
      return;
    }
    long consumed = channel.received().consumed();
    long accepted = channel.received().accepted();
    long credit = channel.received().creditLimit();
    addState(b, channel, accepted, consumed, credit);
    b.item(SentItem.STATE, channel, 0, 0, 0);
    channel.receiver().stateSent(accepted, consumed, credit);
    channels.stateTold(channel);
    path.batch().onState();
  }

  /** How far a channel's peer may go, and what was done with what it sent. */
  static void addState(
      PacketAssembler b, ChannelEngine channel, long accepted, long consumed, long credit) {
    b.added(
        ChannelStateFrame.encode(
            b.header(),
            b.at(),
            channel.received().isPeerFinal() ? ChannelStateFrame.FIN_KNOWN : 0,
            channel.number(),
            channel.receiver().inOnWire(accepted),
            channel.receiver().inOnWire(consumed),
            credit),
        true);
  }
}
