// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.checksum.Checksum;
import io.crosstie.multirail.path.RailCounter;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.channel.FragmentSource;
import io.crosstie.reliability.channel.Pieces;
import io.crosstie.reliability.channel.Signal;
import io.crosstie.reliability.channel.Status;
import io.crosstie.reliability.datagram.DatagramHandler;
import io.crosstie.reliability.datagram.IncomingDatagrams;
import io.crosstie.reliability.datagram.OutgoingDatagrams;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.NodeMemory;
import io.crosstie.reliability.packet.PacketAssembler;
import io.crosstie.reliability.wire.DatagramFrame;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.PacketHeader;
import io.crosstie.reliability.wire.Takes;
import io.crosstie.transport.Counters;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams of one connection (R35): sent once, in no order, beside messages. Each packet that they
 * begin is paced, counted and acknowledged like any other; what is lost with it stays lost.
 *
 * <p>While messages wait as well, every second packet begins with datagrams, and either takes what
 * room the other leaves in a packet: so each has at least half of the packets, whatever the other
 * does. Control frames go in front of both.
 */
public final class Datagrams {
  private final OutgoingDatagrams out;
  private final IncomingDatagrams in;
  private final Counters<ConnectionCounter> counters;
  private final PlantedFault planted;
  private final Runnable news;
  private final AtomicReference<@Nullable Object> attachment = new AtomicReference<>();
  private long peerMaxMessageBytes;

  /** The next packet begins with them, though messages wait. */
  private boolean turn;

  /**
   * None.
   *
   * @param memory of the peer, which is charged
   * @param news that some came
   */
  Datagrams(
      NodeMemory.Share memory,
      Counters<ConnectionCounter> counters,
      PlantedFault planted,
      Runnable news) {
    this.out = new OutgoingDatagrams(memory.sent);
    this.in = new IncomingDatagrams(memory.received);
    this.counters = counters;
    this.planted = planted;
    this.news = news;
  }

  // ---- what anyone may do ----

  /**
   * Copies a datagram, to be sent in the next duty cycle; {@link #signal} has to follow. Any
   * thread.
   *
   * @return a number above 0, or a {@link Status}; {@link Status#TOO_LARGE} above {@link #longest}
   */
  public long offer(Pieces pieces) {
    return out.offer(pieces);
  }

  /** What the engine is to look at when something was offered. */
  public Signal signal() {
    return out;
  }

  /**
   * The longest that may be offered now, its header included; 0 as long as none may. Any thread.
   */
  public int longest() {
    return out.longest();
  }

  /** Whether {@link #poll} would find something. Any thread. */
  public boolean hasNews() {
    return !in.isEmpty();
  }

  /**
   * Hands out what came; one thread at a time.
   *
   * @return how many
   */
  public int poll(DatagramHandler handler, int limit) {
    return in.poll(handler, limit);
  }

  /** What those that came take, in bytes. The engine's thread. */
  public long bytesIn() {
    return in.bytes();
  }

  /**
   * Keeps something of the layer above beside it: what was attached first. Any thread.
   *
   * @return what is attached
   */
  public Object attach(Object object) {
    Object before = attachment.compareAndExchange(null, object);
    return before == null ? object : before;
  }

  /** What is attached, or null. Any thread. */
  public @Nullable Object attachment() {
    return attachment.get();
  }

  // ---- what becomes of the connection ----

  void connect(Introduction peer) {
    peerMaxMessageBytes = peer.limits().maxMessageLength();
    out.connect((peer.takes() & Takes.DATAGRAMS) != 0);
  }

  /** Nothing more is offered. Needs no memory. */
  void refuse(long status) {
    out.refuse(status);
  }

  /** After {@link #refuse}: nothing is sent or told any more. May be done again. */
  void end() {
    counters.add(ConnectionCounter.DATAGRAMS_UNSENT, out.end());
    counters.add(ConnectionCounter.DATAGRAMS_DROPPED, in.end());
  }

  /** Whether all that was offered has left. Engine thread. */
  public boolean areSent() {
    return !out.hasMore();
  }

  // ---- sending ----

  /** Some were offered. */
  void onSignal() {
    out.clearSignal();
  }

  /** Packets of that length pass on every rail in use. */
  void setPacketLength(int bytes) {
    long most = (long) bytes - PacketHeader.LENGTH - DatagramFrame.LENGTH;
    out.setLongest((int) Math.min(most, peerMaxMessageBytes));
  }

  /** Whether some wait to be sent. */
  boolean hasMore() {
    return out.hasMore();
  }

  /** Whether the next packet begins with them, if messages wait or not. */
  boolean isTurn(boolean messages) {
    return out.hasMore() && (turn || !messages);
  }

  /** A packet has left, which began with them, or with messages. */
  void tookTurn(boolean datagrams) {
    turn = !datagrams;
  }

  /** What the next one takes in a packet. */
  int nextBytes() {
    return DatagramFrame.LENGTH + out.nextLength();
  }

  /**
   * Puts in what fits.
   *
   * @param packetLimit the longest packet of that rail; what is too long for it is dropped, since
   *     the path has become narrower after it was offered
   */
  void put(RailPath path, PacketAssembler b, int packetLimit) {
    while (out.hasMore()) {
      int length = out.nextLength();
      if (PacketHeader.LENGTH + DatagramFrame.LENGTH + length > packetLimit) {
        out.take();
        counters.increment(ConnectionCounter.DATAGRAMS_UNSENT);
        continue;
      }
      if (!b.datagram(out.memory(), out.nextAt(), out.nextHeaderLength(), length)) {
        return;
      }
      out.take();
      path.counters().add(RailCounter.PAYLOAD_FIRST_OUT, length);
    }
  }

  /** The packet with so many leaves now: whatever becomes of it, they never leave again. */
  void left(int count) {
    out.left();
    counters.add(ConnectionCounter.DATAGRAMS_OUT, count);
  }

  /** The packet at hand does not leave. */
  void takeBack() {
    out.takeBack();
  }

  /** Some were in packets that were given up, or that a driver refused in the end. */
  void lost(int count) {
    counters.add(ConnectionCounter.DATAGRAMS_LOST, count);
    if (planted == PlantedFault.DATAGRAM_RESENT) {
      out.again();
    }
  }

  // ---- receiving ----

  /**
   * One came, in a packet that was not seen before.
   *
   * @param length header included
   * @return whether its bytes are as they left
   */
  boolean onDatagram(
      RailPath path,
      int headerLength,
      int length,
      int checksum,
      Checksum algorithm,
      FragmentSource source) {
    int result = in.add(headerLength, length, checksum, algorithm, source);
    counters.add(ConnectionCounter.DATAGRAMS_DROPPED, in.takeGaveWay());
    if (result == IncomingDatagrams.CORRUPT) {
      return false;
    }
    path.counters().add(RailCounter.PAYLOAD_IN, length);
    counters.increment(ConnectionCounter.DATAGRAMS_IN);
    if (result == IncomingDatagrams.DROPPED) {
      counters.increment(ConnectionCounter.DATAGRAMS_DROPPED);
    } else {
      news.run();
    }
    return true;
  }
}
