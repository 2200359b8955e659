// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Receives into a {@link ReceiveRing} and hands up.
 *
 * <p>A first poll that finds something makes one call only: in a ping-pong the answer shall not
 * wait for a second call that would find nothing. While there is more, several messages are asked
 * for at once: as many as promise to stay in the cache.
 *
 * <p>Nothing to receive is the common case by far, so that calls do not ask for errno; whether it
 * was an error after all is found out now and then, and always after a wait.
 *
 * <p>Where packets come one by one, from a peer that the socket is connected to, offload has
 * nothing to merge, and the plain call that goes without it takes a tenth off the time of a poll.
 * When packets come in numbers again, so does offload. What the kernel had merged before offload
 * went off it tells the packets' length of no more: so nothing is received by plain calls before
 * the socket was found empty with offload off. While it is not, offload goes on again, and with it
 * the length is told.
 */
final class Receiver {
  /** After how many calls that received nothing the next one asks why. */
  private static final int CALLS_PER_REASON = 256;

  /** Most errors in one poll. */
  private static final int MAX_ERRORS = 2;

  /** Less in one call: ask for more messages; more than twice as much: for fewer. */
  private static final int COMFORTABLE_BYTES = 64 << 10;

  /** So many polls in a row that brought a single packet make one expect the same of the next. */
  private static final int SINGLES = 64;

  /** So many packets in one poll are too many for one call each. */
  private static final int PLAIN_PACKETS = 4;

  private final RailPort port;
  private final ReceiveRing ring;
  private final int fd;
  private final PortHandler handler;
  private final Owner owner;
  private final Counters<PortCounter> counters;
  private final long seed;

  /** The message being handed up, or -1. */
  private int current = -1;

  /** Whether the last poll found something. */
  private boolean busy;

  /** Messages to ask for in one call while busy. */
  private int width = 1;

  /** Set after waiting: to be woken for nothing is a sign of an error. */
  private boolean suspicious;

  /** Whether packets are received one by one, with offload off. */
  private boolean plain;

  /** Whether nothing can be in the socket that was merged before offload went off. */
  private boolean settled;

  /** Polls in a row that brought one packet. */
  private int singles;

  /** Calls in vain since the reason was last asked for. */
  private int emptyCalls;

  /** What the port does. */
  interface Owner {
    /** Whether the handler closed the port, so that the memory is gone. */
    boolean isClosed();

    /** Whether there is any sense in going on. */
    boolean isOpen();

    /** The only one who can have sent what arrives, or null. */
    @Nullable LinuxUdpRail peer();

    /** Switches receive offload, where there is any. False if that is not possible. */
    boolean setReceiveOffload(boolean on);

    /** Reads the queue of errors. Returns how many there were. */
    int drainErrors();

    /** An error. Returns whether to try again. */
    boolean onReceiveError(int errno);
  }

  Receiver(
      RailPort port,
      ReceiveRing ring,
      int fd,
      PortHandler handler,
      Owner owner,
      Counters<PortCounter> counters,
      long seed) {
    this.port = port;
    this.ring = ring;
    this.fd = fd;
    this.handler = handler;
    this.owner = owner;
    this.counters = counters;
    this.seed = seed;
  }

  /** The message whose packets are being handed up, or -1 outside the handler. */
  int currentMessage() {
    return current;
  }

  /** Lets the next call that receives nothing find out why. */
  void expectReason() {
    suspicious = true;
  }

  /** Receives about that many packets, and returns how many were handed up. */
  int receive(int limit) {
    LinuxUdpRail peer = owner.peer();
    if (peer == null) {
      return receiveMerged(limit);
    }
    if (plain && !settled) {
      settled = ring.isQueueEmpty(fd);
      if (!settled) {
        mergeAgain();
      }
    }
    if (!plain) {
      int packets = receiveMerged(limit);
      if (packets > 0) {
        singles = packets == 1 ? singles + 1 : 0;
        plain = singles >= SINGLES && owner.isOpen() && owner.setReceiveOffload(false);
        settled = false; // looked for in the next poll: what is just arriving is there by then
      }
      return packets;
    }
    int packets = receivePlainly(peer);
    if (packets >= PLAIN_PACKETS && owner.isOpen()) {
      mergeAgain();
    }
    return packets;
  }

  private void mergeAgain() {
    plain = false;
    singles = 0;
    boolean unused = owner.setReceiveOffload(true);
  }

  private int receivePlainly(LinuxUdpRail peer) {
    int packets = 0;
    do {
      long length = ring.tryReceivePlainly(fd, peer.address());
      counters.increment(PortCounter.RECEIVE_CALLS);
      if (length < 0) {
        if (isReasonWanted()) {
          suspicious = true;
          return packets + receiveMerged(1); // which asks for it
        }
        break;
      }
      packets += handUp(0, (int) length, 0, peer.remoteKey());
    } while (busy && packets < PLAIN_PACKETS && owner.isOpen());
    busy = packets > 0;
    return packets;
  }

  private int receiveMerged(int limit) {
    int packets = 0;
    int errors = 0;
    do {
      int asked = busy ? width : 1;
      int messages = ring.tryReceive(fd, asked);
      counters.increment(PortCounter.RECEIVE_CALLS);
      if (messages < 0) {
        if (!isReasonWanted()) {
          break;
        }
        int errno = ring.whyNothing(fd);
        if (errno == 0) {
          // the call itself may have been told of an answer of the network to a packet
          int unused = owner.drainErrors();
          break;
        }
        if (!owner.onReceiveError(errno) || ++errors > MAX_ERRORS) {
          break;
        }
        continue;
      }
      long bytes = 0;
      for (int i = 0; i < messages; i++) {
        bytes += ring.length(i);
        packets += handUp(i);
        if (owner.isClosed()) {
          return packets;
        }
      }
      adapt(asked, messages, bytes);
      if (messages < asked) {
        break;
      }
    } while (busy && packets < limit && owner.isOpen());
    busy = packets > 0;
    return packets;
  }

  private boolean isReasonWanted() {
    if (suspicious || ++emptyCalls >= CALLS_PER_REASON) {
      suspicious = false;
      emptyCalls = 0;
      return true;
    }
    return false;
  }

  private void adapt(int asked, int messages, long bytes) {
    if (messages == asked && bytes < COMFORTABLE_BYTES) {
      width = Math.min(ReceiveRing.MAX_MESSAGES, 2 * asked);
    } else if (bytes > 2 * COMFORTABLE_BYTES) {
      width = Math.max(1, asked / 2);
    }
  }

  private int handUp(int message) {
    if (!ring.isUsable(message)) {
      counters.increment(PortCounter.DROPPED_IN);
      return 0;
    }
    long source = SockAddr.key(ring.names(), ReceiveRing.nameOffset(message), seed);
    return handUp(message, ring.length(message), ring.segment(message), source);
  }

  private int handUp(int message, int length, int segment, long source) {
    if (length == 0) {
      counters.increment(PortCounter.DROPPED_IN);
      return 0;
    }
    MemorySegment memory = ring.memory();
    int step = segment > 0 ? segment : length;
    long offset = ring.offset(message);
    int packets = 0;
    current = message;
    try {
      for (int at = 0; at < length; at += step) {
        int packetLength = Math.min(step, length - at);
        packets++;
        counters.increment(PortCounter.PACKETS_IN);
        counters.add(PortCounter.BYTES_IN, packetLength);
        handler.onPacket(port, memory, offset + at, packetLength, source);
        if (owner.isClosed()) {
          break;
        }
      }
    } finally {
      current = -1;
    }
    return packets;
  }
}
