// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.channel.Priority;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.loss.SentItem;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.transport.Counters;
import org.jspecify.annotations.Nullable;

/**
 * What packets take along of messages: fragments that are due again, then new ones of the channels,
 * by priority and in turn.
 */
final class MessageContent {
  /** One packet in so many, a power of two, looks at NORMAL first, and one at what is new. */
  private static final int LOW_SHARE = 16;

  /** A fragment shorter than that is not worth its descriptor while more of the message waits. */
  private static final int LEAST_FRAGMENT = 256;

  /** A part of a message that long goes by reference where that is possible. */
  private static final int LEAST_REFERENCE = 16 << 10;

  /** As much by one reference; the peer reads while the checksum of the next one is taken. */
  private static final int MAX_REFERENCE = 256 << 10;

  /** A part of a placed message over memory that is shared. */
  static final int PLACED_BLOCK = 16 << 10;

  private final ChannelTable channels;
  private final RetransmitQueue retransmit;
  private final PacketAssembler assembler;
  private final Counters<ConnectionCounter> counters;
  private final PlantedFault planted;
  private int packets;

  MessageContent(
      ChannelTable channels,
      RetransmitQueue retransmit,
      PacketAssembler assembler,
      Counters<ConnectionCounter> counters,
      PlantedFault planted) {
    this.channels = channels;
    this.retransmit = retransmit;
    this.assembler = assembler;
    this.counters = counters;
    this.planted = planted;
  }

  // ---- whose turn it is ----

  /** Packets were filled; the priorities share packets, not messages. */
  void onPackets(int number) {
    packets += number;
  }

  /** Whether something has to leave again. */
  boolean isAgainDue() {
    return retransmit.prune(isLowFirst());
  }

  /**
   * The channel whose new messages go next, or null if it is the turn of what is due again, or
   * nothing is ready. By priority first, and of one priority what is due again before what is new;
   * but one packet in so many begins with what is new: what the peer refuses for want of memory is
   * due again without end, and the rest of a message that holds that memory may be new.
   */
  @Nullable ChannelEngine turnOfNew(boolean again) {
    if (!again || (packets & (LOW_SHARE - 1)) == LOW_SHARE / 2 - 1) {
      return nextChannel();
    }
    return isOvertaken() ? channels.nextReady(Priority.HIGH) : null;
  }

  /** Whether HIGH goes before what is due again. */
  private boolean isOvertaken() {
    return !retransmit.isHigh() && !isLowFirst();
  }

  private boolean isLowFirst() {
    return (packets & (LOW_SHARE - 1)) == LOW_SHARE - 1;
  }

  /** The channel that may send next, or null. */
  @Nullable ChannelEngine nextChannel() {
    boolean lowFirst = isLowFirst();
    ChannelEngine first = channels.nextReady(lowFirst ? Priority.NORMAL : Priority.HIGH);
    return first != null ? first : channels.nextReady(lowFirst ? Priority.HIGH : Priority.NORMAL);
  }

  // ---- into the packet at hand ----

  private int wholeLimit(RailPath path) {
    return path.size().current() - PacketHeader.LENGTH - EagerFrame.length(1);
  }

  /** Puts in what is due again and fits. */
  void putAgain(RailPath path) {
    PacketAssembler b = assembler;
    RetransmitQueue q = retransmit;
    boolean afterHigh = false;
    while (b.hasItemRoom() && isAgainDue()) {
      if (afterHigh && isOvertaken()) {
        putNew(path, channels.nextReady(Priority.HIGH));
        afterHigh = false;
        continue;
      }
      afterHigh |= q.isHigh();
      ChannelEngine channel = q.channel();
      long first = q.first();
      int transmitted = q.transmissions();
      if (q.kind() == SentItem.FRAGMENT) {
        int wanted = q.length();
        long from = q.offset();
        int took =
            channel.isPlacement()
                ? b.placed(
                    channel,
                    first,
                    from,
                    most(path, apart(channel, first, from), wanted),
                    transmitted)
                : b.fragment(channel, first, from, wanted, transmitted);
        if (took == 0) {
          return;
        }
        path.counters().add(RailCounter.PAYLOAD_AGAIN_OUT, took);
        q.take(took);
        continue;
      }
      if (channel.sent().isFailed(first)) {
        q.take(1);
        continue;
      }
      long length = channel.sent().length(first);
      if (length > wholeLimit(path)) {
        q.take(1); // it was whole on a rail with larger packets
        if (planted != PlantedFault.NOT_CUT_AGAIN) {
          retransmit.add(
              SentItem.FRAGMENT, channel, first, 0, (int) length, transmitted, -1, null, 0);
        }
        continue;
      }
      if (!b.eager(channel, first, (int) length, transmitted)) {
        return;
      }
      path.counters().add(RailCounter.PAYLOAD_AGAIN_OUT, length);
      q.take(1);
    }
  }

  /**
   * Puts in what is new and fits.
   *
   * @param turn whose turn it is, as {@link #nextChannel} said
   */
  void putNew(RailPath path, @Nullable ChannelEngine turn) {
    PacketAssembler b = assembler;
    ChannelEngine channel = turn;
    for (; channel != null; channel = isAgainDue() ? turnOfNew(true) : nextChannel()) {
      long before = b.payloadBytes();
      int items = b.itemCount();
      boolean more = fill(path, channel);
      boolean any = b.payloadBytes() > before || b.itemCount() > items;
      if (!any) {
        return;
      }
      channels.sent(channel);
      if (more || !b.hasItemRoom()) {
        return;
      }
    }
  }

  /** Puts in what fits of a channel that is ready; true if the packet is full. */
  private boolean fill(RailPath path, ChannelEngine channel) {
    PacketAssembler b = assembler;
    if (channel.isPlacement()) {
      return fillPlaced(path, channel);
    }
    int longestWhole = wholeLimit(path);
    do {
      long offset = channel.sender().nextOffset();
      if (offset == 0) {
        long before = b.payloadBytes();
        int messages = b.eagers(channel, longestWhole);
        if (messages > 0) {
          started(messages, b.payloadBytes() - before, path);
          if (!channel.sender().hasMore()) {
            return false;
          }
          continue;
        }
      }
      long seq = channel.sender().nextSequence();
      long length = channel.sender().nextLength();
      if (offset == 0 && length <= longestWhole) {
        return true;
      }
      long left = length - offset;
      if (path.link().peerPulls() && left >= LEAST_REFERENCE) {
        int part = (int) Math.min(left, MAX_REFERENCE);
        int referred = b.reference(channel, seq, offset, part, 0);
        if (referred > 0) {
          channel.sender().takeBytes(referred);
          started(offset == 0 ? 1 : 0, referred, path);
        }
        return true; // the peer begins with it at once
      }
      if (b.room() < FragmentFrame.LENGTH + Math.min(left, LEAST_FRAGMENT)) {
        return true;
      }
      int took = b.fragment(channel, seq, offset, left, 0);
      if (took == 0) {
        return true;
      }
      channel.sender().takeBytes(took);
      started(offset == 0 ? 1 : 0, took, path);
    } while (channel.sender().sendState() == ChannelSender.READY);
    return false;
  }

  /** The same of a placement channel. */
  private boolean fillPlaced(RailPath path, ChannelEngine channel) {
    PacketAssembler b = assembler;
    do {
      long offset = channel.sender().nextOffset();
      long left = channel.sender().nextLength() - offset;
      if (b.room() < PlacedFrame.LENGTH + Math.min(left, LEAST_FRAGMENT)) {
        return true;
      }
      long seq = channel.sender().nextSequence();
      int took = b.placed(channel, seq, offset, most(path, apart(channel, seq, offset), left), 0);
      if (took == 0) {
        return true;
      }
      channel.sender().takeBytes(took);
      started(offset == 0 ? 1 : 0, took, path);
      if (took < left) {
        return true; // the rest follows in packets of its own
      }
    } while (channel.sender().sendState() == ChannelSender.READY);
    return false;
  }

  /** Bytes of the notification that a part which begins there has in front. */
  private static int apart(ChannelEngine channel, long seq, long offset) {
    return offset == 0 ? channel.sent().placed(seq).headerLength() : 0;
  }

  /**
   * What another process can change is copied before it is judged: a part that stays in the cache
   * meanwhile (R25, R28). The notification does not count, so that no part of a whole number of
   * blocks is left over for it, and every other part is placed where its source is aligned.
   */
  static long most(RailPath path, int apart, long wanted) {
    return path.link().isShared() ? Math.min(wanted, PLACED_BLOCK + apart) : wanted;
  }

  /** Counts what leaves for the first time: messages that began, and bytes of them or of others. */
  void started(int messages, long bytes, RailPath path) {
    path.counters().add(RailCounter.PAYLOAD_FIRST_OUT, bytes);
    counters.add(ConnectionCounter.BYTES_OUT, bytes);
    counters.add(ConnectionCounter.MESSAGES_OUT, messages);
  }
}
