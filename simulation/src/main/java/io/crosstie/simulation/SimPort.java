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
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A simulated port. What it hands up is overwritten as soon as the handler has returned, so that
 * whoever keeps a reference is found out.
 */
public abstract class SimPort implements RailPort {
  static final int MAX_REPLY = 1200;
  static final byte POISON = (byte) 0xd5;

  private record Event(@Nullable Rail rail, LinkEvent event, int errno) {}

  final SimNetwork network;
  final PortHandler handler;
  final SimHost host;
  private final RailAddress address;
  private final PortProfile profile;
  private final Counters<PortCounter> counters = new Counters<>(PortCounter.class);
  private final ArrayDeque<Event> events = new ArrayDeque<>();
  private boolean failed;
  private boolean closed;

  SimPort(
      SimNetwork network,
      RailAddress address,
      PortProfile profile,
      PortHandler handler,
      SimHost host) {
    this.network = network;
    this.address = address;
    this.profile = profile;
    this.handler = handler;
    this.host = host;
    counters.set(PortCounter.RECEIVE_BUFFER_ASKED, profile.receiveBufferBytes());
    counters.set(PortCounter.RECEIVE_BUFFER_GOT, profile.receiveBufferBytes());
  }

  /** Makes a rail to an address that can be reached. */
  abstract Rail rail(RailAddress remote);

  /** The port has failed; what its rails hold stays readable. */
  abstract void onFailure();

  /** Closes all rails. */
  abstract void onClose();

  /** Takes what has arrived. */
  abstract int take(int limit);

  /** Rails that are not closed. */
  public abstract int railCount();

  SimNetwork network() {
    return network;
  }

  PortProfile profile() {
    return profile;
  }

  boolean isUsable() {
    return !closed && !failed;
  }

  boolean isClosed() {
    return closed;
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
    return rail(remote);
  }

  void countOut(int length) {
    counters.increment(PortCounter.PACKETS_OUT);
    counters.add(PortCounter.BYTES_OUT, length);
  }

  void countIn(int length) {
    counters.increment(PortCounter.PACKETS_IN);
    counters.add(PortCounter.BYTES_IN, length);
  }

  void event(@Nullable Rail rail, LinkEvent event, int errno) {
    if (!closed && events.size() < 64) {
      events.add(new Event(rail, event, errno));
      host.arrived();
    }
  }

  /** Ends this port as if the socket had failed: what has arrived stays readable. */
  public void fail() {
    if (isUsable()) {
      failed = true;
      network.closed(this);
      onFailure();
      event(null, LinkEvent.CLOSED, 9);
    }
  }

  @Override
  public void sever() {
    if (isUsable()) {
      failed = true;
      network.closed(this);
    }
  }

  /** What uses it in place of the engine; null if that does it itself. */
  @Nullable SimPortThread thread() {
    return host instanceof SimPortThread thread ? thread : null;
  }

  @Override
  public int poll(long nowNs, int limit) {
    handUpEvents();
    try {
      int handedUp = closed ? 0 : take(limit);
      handUpEvents();
      return handedUp;
    } catch (RuntimeException e) { // the engine survives it, and counts it
      network.failed(e);
      throw e;
    }
  }

  private void handUpEvents() {
    for (Event e = events.poll(); e != null && !closed; e = events.poll()) {
      handUp(e.rail, e.event, e.errno);
    }
  }

  /** The one way in which the engine hears of an event; while it polls. */
  final void handUp(@Nullable Rail rail, LinkEvent event, int errno) {
    counters.increment(PortCounter.LINK_EVENTS);
    handler.onLinkEvent(this, rail, event, errno);
  }

  boolean anyEvent() {
    return !events.isEmpty();
  }

  @Override
  public boolean attach(Poller poller) {
    return thread() != null;
  }

  @Override
  public Counters<PortCounter> counters() {
    return counters;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      network.closed(this);
      onClose();
      events.clear();
    }
  }
}
