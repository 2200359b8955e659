// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A simulated port. What it hands up is overwritten as soon as the handler has returned, so that
 * whoever keeps a reference is found out.
 */
public final class SimPort implements RailPort {
  private static final int MAX_REPLY = 1200;
  private static final byte POISON = (byte) 0xd5;

  private record Event(@Nullable Rail rail, LinkEvent event, int errno) {}

  private final SimNetwork network;
  private final RailAddress address;
  private final PortProfile profile;
  private final PortHandler handler;
  private final Runnable wake;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final ArrayDeque<SimPacket> inbox = new ArrayDeque<>();
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private final List<SimRail> rails = new ArrayList<>();
  private final MemorySegment inRing;
  private long inboxBytes;
  private @Nullable SimPacket current;
  private boolean failed;
  private boolean closed;

  SimPort(
      SimNetwork network,
      RailAddress address,
      PortProfile profile,
      PortHandler handler,
      Runnable wake) {
    this.network = network;
    this.address = address;
    this.profile = profile;
    this.handler = handler;
    this.wake = wake;
    long ringBytes = profile.ring() ? profile.maxPacketLength() + Long.BYTES : 0;
    this.inRing = Arena.ofAuto().allocate(ringBytes, 64);
    counters.set(PortCounter.RECEIVE_BUFFER_ASKED, profile.receiveBufferBytes());
    counters.set(PortCounter.RECEIVE_BUFFER_GOT, profile.receiveBufferBytes());
  }

  SimNetwork network() {
    return network;
  }

  PortProfile profile() {
    return profile;
  }

  boolean isUsable() {
    return !closed && !failed;
  }

  @Override
  public RailAttributes attributes() {
    boolean ring = profile.ring();
    return new RailAttributes(
        ring ? "sim/ring" : "sim/datagram",
        ring,
        ring,
        ring,
        ring ? 1_000 : 50_000,
        ring ? 4_000_000_000L : 125_000_000L,
        profile.receiveBufferBytes());
  }

  @Override
  public RailAddress localAddress() {
    return address;
  }

  @Override
  public @Nullable String whyUnreachable(RailAddress remote) {
    if (!remote.scheme().equals(address.scheme())) {
      return remote + " is no " + address.scheme() + " address";
    }
    if (!SimNetwork.netOf(remote).equals(SimNetwork.netOf(address))) {
      return remote + " is on another net than " + address;
    }
    return remote.equals(address) ? remote + " is this port" : null;
  }

  @Override
  public Rail connect(RailAddress remote) throws RailException {
    String why = whyUnreachable(remote);
    if (why != null || !isUsable()) {
      throw new RailException(why != null ? why : "port " + address + " is closed");
    }
    SimRail rail =
        profile.ring() ? SimRingRail.offer(this, remote) : new SimDatagramRail(this, remote);
    rails.add(rail);
    return rail;
  }

  private SimPacket handled() {
    SimPacket packet = current;
    if (packet == null) {
      throw new IllegalStateException("only while a packet is being handled");
    }
    return packet;
  }

  @Override
  public Rail accept() throws RailException {
    SimPacket packet = handled();
    SimRingRail ring = packet.ring;
    if (ring != null) {
      ring.becomeKnown();
      return ring;
    }
    return connect(packet.source);
  }

  @Override
  public RailAddress sourceAddress() {
    return handled().source;
  }

  @Override
  public void reply(MemorySegment packet, long offset, int length) {
    SimPacket to = handled();
    if (length < 1 || length > MAX_REPLY) {
      throw new IllegalArgumentException("a reply has 1 to " + MAX_REPLY + " bytes, not " + length);
    }
    byte[] bytes = new byte[length];
    MemorySegment.copy(packet, ValueLayout.JAVA_BYTE, offset, bytes, 0, length);
    SimRingRail ring = to.ring;
    if (ring != null) {
      ring.reply(bytes);
    } else if (isUsable()) {
      countOut(length);
      network.link(address, to.source).send(bytes, 0, length);
    }
  }

  void countOut(int length) {
    counters.increment(PortCounter.PACKETS_OUT);
    counters.add(PortCounter.BYTES_OUT, length);
  }

  /** A datagram arrives; false if there is no room. */
  boolean enqueue(SimPacket packet) {
    if (inboxBytes + packet.length + 256 > profile.receiveBufferBytes()) {
      return false;
    }
    add(packet);
    return true;
  }

  /** Something of a ring arrives; the ring has bounded it. */
  void add(SimPacket packet) {
    if (!packet.endOfRing) {
      inboxBytes += packet.length + 256;
    }
    inbox.add(packet);
    wake.run();
  }

  void event(@Nullable Rail rail, LinkEvent event, int errno) {
    if (!closed && events.size() < 64) {
      events.add(new Event(rail, event, errno));
      wake.run();
    }
  }

  /** Ends this port as if the socket had failed: what has arrived stays readable. */
  public void fail() {
    if (isUsable()) {
      failed = true;
      network.closed(this);
      for (SimRail rail : List.copyOf(rails)) {
        rail.portFailed();
      }
      event(null, LinkEvent.CLOSED, 9);
    }
  }

  @Override
  public int poll(long nowNs, int limit) {
    tellEvents();
    int handedUp = 0;
    while (handedUp < limit && !closed) {
      SimPacket packet = inbox.poll();
      if (packet == null) {
        break;
      }
      SimRingRail ring = packet.ring;
      if (packet.endOfRing) {
        if (ring != null) {
          ring.ended();
        }
        continue;
      }
      inboxBytes -= packet.length + 256;
      if (ring != null && !ring.mayHandUp()) {
        packet.count(LinkCounter.UNREAD);
        continue;
      }
      handUp(packet);
      handedUp++;
    }
    tellEvents();
    return handedUp;
  }

  private void handUp(SimPacket packet) {
    counters.increment(PortCounter.PACKETS_IN);
    counters.add(PortCounter.BYTES_IN, packet.length);
    packet.countDelivered();
    network.noteDelivery(packet);
    current = packet;
    try {
      long source = network.keyOf(packet.source);
      if (packet.ring == null) {
        MemorySegment memory = MemorySegment.ofArray(packet.data);
        handler.onPacket(this, memory, packet.offset, packet.length, source);
      } else { // always in the same memory, as what comes from a segment
        MemorySegment.copy(
            packet.data, packet.offset, inRing, ValueLayout.JAVA_BYTE, 0, packet.length);
        handler.onPacket(this, inRing, 0, packet.length, source);
      }
    } finally {
      current = null;
      Arrays.fill(packet.data, POISON);
      MemorySegment unused =
          inRing.asSlice(0, Math.min(packet.length, inRing.byteSize())).fill(POISON);
      SimRingRail ring = packet.ring;
      if (ring != null) {
        ring.handled(packet);
      }
    }
  }

  private void tellEvents() {
    for (Event e = events.poll(); e != null && !closed; e = events.poll()) {
      counters.increment(PortCounter.LINK_EVENTS);
      if (e.event == LinkEvent.CLOSED && e.rail instanceof SimRail rail) {
        if (!rail.takeClosedReport()) {
          continue;
        }
      }
      handler.onLinkEvent(this, e.rail, e.event, e.errno);
    }
  }

  void forget(SimRail rail) {
    rails.remove(rail);
  }

  void adopt(SimRail rail) {
    rails.add(rail);
  }

  /** Rails that are not closed. */
  public int railCount() {
    return rails.size();
  }

  @Override
  public boolean attach(Poller poller) {
    return false;
  }

  @Override
  public boolean prepareToBlock() {
    return inbox.isEmpty() && events.isEmpty();
  }

  @Override
  public void afterBlock() {}

  @Override
  public Counters<PortCounter> counters() {
    return counters;
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    network.closed(this);
    for (SimRail rail : List.copyOf(rails)) {
      rail.close();
    }
    for (SimPacket packet : inbox) {
      if (!packet.endOfRing) {
        packet.count(LinkCounter.UNREAD);
      }
    }
    inbox.clear();
    events.clear();
  }
}
