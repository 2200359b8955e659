// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A simulated socket of datagrams. */
final class SimDatagramPort extends SimPort {
  private final ArrayDeque<SimPacket> inbox = new ArrayDeque<>();
  private final List<SimDatagramRail> rails = new ArrayList<>();
  private long inboxBytes;
  private @Nullable SimPacket current;

  SimDatagramPort(
      SimNetwork network,
      RailAddress address,
      PortProfile profile,
      PortHandler handler,
      SimHost host) {
    super(network, address, profile, handler, host);
  }

  @Override
  public RailAttributes attributes() {
    return new RailAttributes(
        "sim/datagram", false, false, false, 50_000, 125_000_000L, profile().receiveBufferBytes());
  }

  @Override
  Rail rail(RailAddress remote) {
    SimDatagramRail rail = new SimDatagramRail(this, remote);
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
    return connect(handled().source);
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
    if (isUsable()) {
      countOut(length);
      network.link(localAddress(), to.source).send(bytes, 0, length);
    }
  }

  /** A datagram arrives; false if there is no room. */
  boolean enqueue(SimPacket packet) {
    if (inboxBytes + packet.length + 256 > profile().receiveBufferBytes()) {
      return false;
    }
    inboxBytes += packet.length + 256;
    inbox.add(packet);
    host.arrived();
    return true;
  }

  @Override
  int take(int limit) {
    int handedUp = 0;
    while (handedUp < limit && !isClosed()) {
      SimPacket packet = inbox.poll();
      if (packet == null) {
        break;
      }
      inboxBytes -= packet.length + 256;
      host.mayStop();
      handUp(packet);
      handedUp++;
    }
    return handedUp;
  }

  private void handUp(SimPacket packet) {
    countIn(packet.length);
    SimPortThread t = thread();
    long droppedBefore = counters().get(PortCounter.DROPPED_IN);
    if (t == null) {
      packet.countDelivered();
    } else {
      t.handsUp(packet);
    }
    network.noteDelivery(packet);
    current = packet;
    try {
      long source = network.keyOf(packet.source);
      MemorySegment memory = MemorySegment.ofArray(packet.data);
      handler.onPacket(this, memory, packet.offset, packet.length, source);
      if (t != null && counters().get(PortCounter.DROPPED_IN) > droppedBefore) {
        t.dropped();
      }
    } finally {
      current = null;
      Arrays.fill(packet.data, POISON);
    }
  }

  void forget(SimDatagramRail rail) {
    rails.remove(rail);
  }

  @Override
  public int railCount() {
    return rails.size();
  }

  @Override
  public boolean prepareToBlock() {
    return inbox.isEmpty() && !anyEvent();
  }

  @Override
  public void afterBlock() {}

  @Override
  void onFailure() {}

  @Override
  void onClose() {
    for (SimDatagramRail rail : List.copyOf(rails)) {
      rail.close();
    }
    for (SimPacket packet : inbox) {
      packet.count(LinkCounter.UNREAD);
    }
    inbox.clear();
  }
}
