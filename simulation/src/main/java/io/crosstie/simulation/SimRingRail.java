// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.RailAddress;
import org.jspecify.annotations.Nullable;

/**
 * One end of a shared-memory-like segment: two bounded rings, one each way. It is offered by one
 * side and can be used once the other has seen the offer. When one end closes, or the segment is
 * cut, the other hands up what it holds and then reports its end.
 */
final class SimRingRail extends SimRail {
  private static final int PACKET_COST = 16;

  private enum State {
    CONNECTING,
    OPEN,
    /** The peer is gone; what has arrived is still handed up. */
    DRAINING,
    OVER
  }

  private State state;
  private @Nullable SimRingRail peer;
  private boolean known;

  /** What this end committed, and how much of it the peer's handler has returned from. */
  private long committed;

  private long consumed;
  private long ringUsed;

  private SimRingRail(SimPort port, RailAddress remote, State state) {
    super(port, remote);
    this.state = state;
    port.network().ringMade(this);
  }

  static SimRingRail offer(SimPort port, RailAddress remote) {
    SimRingRail mine = new SimRingRail(port, remote, State.CONNECTING);
    mine.known = true;
    SimNetwork network = port.network();
    SimLink link = network.link(port.localAddress(), remote);
    network.clock().after(link.model().delayNs(), () -> mine.offerArrives(link));
    return mine;
  }

  private void offerArrives(SimLink link) {
    if (state != State.CONNECTING) {
      return;
    }
    SimPort there = port.network().portAt(remoteAddress());
    if (there == null
        || link.isCut()
        || port.network().ringsCut(port.localAddress())
        || port.network().ringsCut(remoteAddress())) {
      state = State.OVER;
      port.event(this, LinkEvent.CLOSED, 111);
      return;
    }
    SimRingRail other = new SimRingRail(there, port.localAddress(), State.OPEN);
    there.adopt(other);
    other.peer = this;
    peer = other;
    state = State.OPEN;
  }

  void becomeKnown() {
    known = true;
  }

  @Override
  int admits(int length) {
    return switch (state) {
      case CONNECTING -> WOULD_BLOCK;
      case OPEN -> ringUsed + length + PACKET_COST > port.profile().ringBytes() ? WOULD_BLOCK : 0;
      case DRAINING, OVER -> CLOSED;
    };
  }

  @Override
  void take(byte[] packet) {
    SimRingRail to = peer;
    if (state != State.OPEN || to == null) {
      port.network().link(port.localAddress(), remoteAddress()).sendNowhere(packet);
      return;
    }
    committed++;
    publish(packet, to, false);
  }

  private void publish(byte[] packet, SimRingRail to, boolean reply) {
    ringUsed += packet.length + PACKET_COST;
    port.countOut(packet.length);
    port.network().link(port.localAddress(), remoteAddress()).sendRing(packet, to, reply);
  }

  /** One packet outside the count of the rail; dropped if it does not fit. */
  void reply(byte[] packet) {
    SimRingRail to = peer;
    if (to != null && admits(packet.length) == 0) {
      publish(packet, to, true);
    }
  }

  @Override
  public void flush() {}

  @Override
  public long consumed() {
    if (consumed > committed) {
      throw new IllegalStateException("the simulated ring lost count");
    }
    return consumed;
  }

  // ---- the receiving side

  /** A packet, or the end, arrives. False if this end is closed. */
  boolean enqueue(SimPacket packet) {
    if (state == State.OVER || isClosed()) {
      return false;
    }
    port.add(packet);
    return true;
  }

  /** Whether packets of this ring may still be handed up. */
  boolean mayHandUp() {
    return state == State.OPEN || state == State.DRAINING;
  }

  /** The handler has returned from a packet of this ring. */
  void handled(SimPacket packet) {
    SimRingRail from = peer;
    if (from != null) {
      from.ringUsed -= packet.length + PACKET_COST;
      if (!packet.reply) {
        from.consumed++;
      }
    }
  }

  /** Everything before the end has been handed up. */
  void ended() {
    if (state != State.OVER && !isClosed()) {
      state = State.OVER;
      if (known) {
        port.event(this, LinkEvent.CLOSED, 0);
      } else {
        close();
      }
    }
  }

  /** The segment is torn away: both ends drain and end. */
  void die() {
    SimRingRail other = peer;
    drain();
    if (other != null) {
      other.drain();
    }
  }

  private void drain() {
    if (state == State.CONNECTING) {
      state = State.OVER;
      port.event(this, LinkEvent.CLOSED, 0);
    } else if (state == State.OPEN) {
      state = State.DRAINING;
      port.network().link(remoteAddress(), port.localAddress()).endRing(this);
    }
  }

  @Override
  void portFailed() {
    onClose();
  }

  @Override
  void onClose() {
    state = State.OVER;
    port.network().ringGone(this);
    SimRingRail other = peer;
    if (other != null) {
      other.drain();
    }
  }
}
