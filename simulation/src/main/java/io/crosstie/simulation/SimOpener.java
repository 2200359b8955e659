// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.port.PortOpener;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a simulated port, as often as it is asked to, unless it has been told to fail for a while;
 * with a thread of its own, if it is to have one.
 */
public final class SimOpener implements PortOpener {
  private final SimNetwork network;
  private final RailAddress address;
  private final PortProfile profile;
  private final int weight;
  private final SimHost host;
  private final @Nullable SimPortThreads threads;
  private long refusedUntilNs;
  private final List<SimPort> opened = new ArrayList<>();
  private @Nullable SimPort last;

  /** For a port at that address. */
  public SimOpener(
      SimNetwork network, RailAddress address, PortProfile profile, int weight, SimHost host) {
    this(network, address, profile, weight, host, null);
  }

  /** For one whose ports are used by those threads; by the engine if they are null. */
  SimOpener(
      SimNetwork network,
      RailAddress address,
      PortProfile profile,
      int weight,
      SimHost host,
      @Nullable SimPortThreads threads) {
    this.network = network;
    this.address = address;
    this.profile = profile;
    this.weight = weight;
    this.host = host;
    this.threads = threads;
  }

  @Override
  public String name() {
    return address.text();
  }

  @Override
  public int weight() {
    return weight;
  }

  /** The port's address. */
  public RailAddress address() {
    return address;
  }

  @Override
  public RailPort open(PortHandler handler) throws RailException {
    if (network.clock().nowNs() < refusedUntilNs) {
      throw new RailException("cannot open " + address + ": simulated failure (ENODEV)", 19);
    }
    SimPortThreads own = threads;
    return own == null ? bind(handler, host) : own.open(this, handler);
  }

  /** Opens the port itself. */
  SimPort bind(PortHandler handler, SimHost user) throws RailException {
    SimPort port = network.open(address, profile, handler, user);
    opened.add(port);
    last = port;
    return port;
  }

  /** What its ports' threads do; null if they have none. */
  @Nullable SimPortThreads threads() {
    return threads;
  }

  /** Packets handed up by all ports opened so far. */
  public long handedUp() {
    SimPortThreads own = threads;
    if (own != null) {
      return own.cameUp();
    }
    long sum = 0;
    for (SimPort port : opened) {
      sum += port.counters().get(PortCounter.PACKETS_IN);
    }
    return sum;
  }

  /** Makes the port fail now, and opening it until then. */
  public void fail(long untilNs) {
    refusedUntilNs = untilNs;
    SimPort port = last;
    if (port != null) {
      port.fail();
    }
  }

  /** The port opened last. */
  public @Nullable SimPort port() {
    return last;
  }

  /** Whether the port opened last is not closed, though everything was. */
  boolean isLeftOpen() {
    SimPort port = last;
    SimPortThreads own = threads;
    boolean taken = own != null && own.hangs(); // nobody can close it
    return port != null && (port.isUsable() || (port.railCount() > 0 && !taken));
  }
}
