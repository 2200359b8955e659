// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.connection.ConnectionCounter;
import io.crosstie.multirail.connection.ConnectionRails;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.reliability.wire.EagerFrame;
import io.crosstie.reliability.wire.FragmentFrame;
import io.crosstie.reliability.wire.Frames;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.PlacedFrame;
import io.crosstie.reliability.wire.PlacedKind;
import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts which {@link MessagePath} was entered how often in a run: by the packets that leave, and
 * by the counters of those connections that are alive in the end. The core counts nothing for it.
 */
final class PathCensus {
  private record Message(long connection, int channel, long number) {}

  private record Part(long from, long end) {}

  /** What left of a message so far. */
  private static final class Seen {
    boolean whole;
    final List<Part> parts = new ArrayList<>();
  }

  private final int eagerLimit;
  private final long[] counts = new long[MessagePath.values().length];
  private final Map<Message, Seen> messages = new HashMap<>();
  private final byte[] header = new byte[PacketHeader.MAX_HEADER_LENGTH];

  // the packet before, if it held one part of a message and nothing else
  private @Nullable SimLink lastLink;
  private @Nullable Message lastMessage;
  private long lastNs;
  private long lastEnd;

  PathCensus(int eagerLimit) {
    this.eagerLimit = eagerLimit;
  }

  long get(MessagePath path) {
    return counts[path.ordinal()];
  }

  private void add(MessagePath path, long by) {
    counts[path.ordinal()] += by;
  }

  void add(MessagePath path) {
    add(path, 1);
  }

  // ---- packets

  /** A packet leaves. */
  void sent(SimLink link, MemorySegment memory, long at, int length, long nowNs) {
    int most = Math.min(length, header.length);
    MemorySegment.copy(memory, JAVA_BYTE, at, header, 0, most);
    if (most < PacketHeader.LENGTH || PacketHeader.kind(header, 0) != PacketHeader.DATA) {
      return;
    }
    int end = PacketHeader.headerLength(header, 0);
    long connection = PacketHeader.connectionId(header, 0);
    int frames = 0;
    Message part = null;
    for (int f = PacketHeader.LENGTH; f < end; f += Frames.length(header, f)) {
      frames++;
      switch (Frames.type(header, f)) {
        case Frames.EAGER -> whole(connection, f);
        case Frames.FRAGMENT, Frames.REFERENCE -> part = part(connection, f);
        case Frames.PLACED -> placed(connection, f);
        case Frames.DATAGRAM -> add(MessagePath.DATAGRAM);
        case Frames.MESSAGE_REFUSED -> add(MessagePath.PLACED_REFUSED);
        case Frames.ACK -> add(MessagePath.ACK_RANGES, AckFrame.runCount(header, f) > 1 ? 1 : 0);
        default -> {}
      }
    }
    boolean alone = frames == 1 && part != null;
    long from = alone ? FragmentFrame.offset(header, PacketHeader.LENGTH) : 0;
    if (part != null
        && alone
        && link == lastLink
        && part.equals(lastMessage)
        && nowNs == lastNs
        && from == lastEnd) {
      add(MessagePath.RUN_OF_PACKETS);
    }
    lastLink = link;
    lastMessage = alone ? part : null;
    lastNs = nowNs;
    lastEnd = from + (alone ? FragmentFrame.payloadLength(header, PacketHeader.LENGTH) : 0);
  }

  private void whole(long connection, int f) {
    int count = EagerFrame.count(header, f);
    add(count == 1 ? MessagePath.WHOLE_ALONE : MessagePath.WHOLES_TOGETHER);
    for (int i = 0; i < count; i++) {
      long number = EagerFrame.firstMessage(header, f) + i;
      Seen seen = seen(new Message(connection, EagerFrame.channel(header, f), number));
      if (seen.whole || !seen.parts.isEmpty()) {
        add(MessagePath.WHOLE_AGAIN);
      }
      seen.whole = true;
    }
  }

  private Message part(long connection, int f) {
    Message message =
        new Message(
            connection, FragmentFrame.channel(header, f), FragmentFrame.messageNumber(header, f));
    boolean eager = FragmentFrame.messageLength(header, f) <= eagerLimit;
    add(eager ? MessagePath.EAGER_FRAGMENT : MessagePath.GRANTED_FRAGMENT);
    long from = FragmentFrame.offset(header, f);
    Part part = new Part(from, from + FragmentFrame.payloadLength(header, f));
    Seen seen = seen(message);
    if (seen.whole) {
      add(MessagePath.CUT_AGAIN);
    }
    compare(seen, part, MessagePath.FRAGMENT_AGAIN, MessagePath.OVERLAPPING_FRAGMENT);
    return message;
  }

  private void placed(long connection, int f) {
    Message message =
        new Message(
            connection, FragmentFrame.channel(header, f), FragmentFrame.messageNumber(header, f));
    int kind = PlacedFrame.kind(header, f);
    add(
        PlacedKind.isRequest(kind)
            ? MessagePath.REQUEST
            : kind == PlacedKind.ANSWER ? MessagePath.ANSWER : MessagePath.PLACED);
    long from = FragmentFrame.offset(header, f);
    if (kind == PlacedKind.PUT && from == 0 && FragmentFrame.headerLength(header, f) > 0) {
      add(MessagePath.NOTIFICATION);
    }
    Part part = new Part(from, from + FragmentFrame.payloadLength(header, f));
    compare(seen(message), part, MessagePath.PLACED_AGAIN, MessagePath.PLACED_OVERLAPPING);
  }

  /**
   * Counts a part that shares bytes with one that was seen before, or overlaps one, and keeps it.
   */
  private void compare(Seen seen, Part part, MessagePath whenAgain, MessagePath whenOverlapping) {
    boolean again = false;
    boolean overlaps = false;
    for (Part p : seen.parts) {
      boolean shares = p.from < part.end && part.from < p.end;
      again |= shares;
      overlaps |= shares && !p.equals(part);
    }
    add(whenAgain, again ? 1 : 0);
    add(whenOverlapping, overlaps ? 1 : 0);
    if (!again || overlaps) {
      seen.parts.add(part);
    }
  }

  private Seen seen(Message message) {
    return messages.computeIfAbsent(message, m -> new Seen());
  }

  // ---- counters, in the end

  /** Takes in what a process counted. */
  void take(SimProcess process) {
    for (Connection c : process.liveConnections()) {
      long inline = c.counters().get(ConnectionCounter.INLINE_SENDS);
      add(
          process.isSingleThreaded() ? MessagePath.INLINE_IN_OFFER : MessagePath.INLINE_IN_CYCLE,
          inline);
      add(MessagePath.HEADER_PREDICTION, c.counters().get(ConnectionCounter.PREDICTED_PACKETS));
      add(MessagePath.DATAGRAM_LOST, c.counters().get(ConnectionCounter.DATAGRAMS_LOST));
      add(MessagePath.REVOKED, c.counters().get(ConnectionCounter.GRANTS_LOST));
      add(MessagePath.FORMER_USE, c.counters().get(ConnectionCounter.FORMER_USE_IN));
      add(MessagePath.STALL_PROBE, c.counters().get(ConnectionCounter.STALL_PROBES));
      for (ConnectionRails.RailInfo rail : c.rails()) {
        boolean ring = rail.kind().endsWith("ring");
        add(MessagePath.REINJECTION, rail.counters().get(RailCounter.REINJECTED));
        add(MessagePath.REDUNDANT_COPY, rail.counters().get(RailCounter.REDUNDANT_COPIES));
        add(
            ring ? MessagePath.NACK_OF_RING : MessagePath.NACK_OF_DATAGRAM,
            rail.counters().get(RailCounter.LOST_BY_NACK));
        add(
            MessagePath.ORIGINAL_IN_RING,
            ring ? rail.counters().get(RailCounter.DUPLICATE_FRAGMENTS) : 0);
      }
    }
    for (SimOpener opener : process.openers()) {
      SimPort port = opener.port();
      if (port != null) {
        add(MessagePath.REFERENCE, port.counters().get(PortCounter.PULLS));
        add(MessagePath.REFERENCE_FAILED, port.counters().get(PortCounter.PULL_FAILURES));
        add(
            MessagePath.STREAMING_STORES,
            port.counters().get(PortCounter.STREAMED_BYTES) > 0 ? 1 : 0);
      }
    }
  }

  /** Takes in what the threads of ports did. */
  void take(Counters<PortThreadCounter> threads) {
    add(MessagePath.THREAD_OF_PORT_OUT, threads.get(PortThreadCounter.OUT));
    add(MessagePath.THREAD_OF_PORT_IN, threads.get(PortThreadCounter.IN));
  }

  /** Takes in what left on the channel of an entry. */
  void take(LedgerEntry entry, boolean singleThreaded) {
    add(MessagePath.FROM_LENT_MEMORY, entry.lent);
    add(MessagePath.FROM_LOG, entry.offered - entry.lent);
    add(MessagePath.QUEUE_OF_ONE_THREAD, singleThreaded ? entry.offered : 0);
  }
}
