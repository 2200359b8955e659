// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.PortOpener;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Opens a simulated port, as often as it is asked to, unless it has been told to fail for a while.
 */
public final class SimOpener implements PortOpener {
  private final SimNetwork network;
  private final RailAddress address;
  private final PortProfile profile;
  private final int weight;
  private final SimHost host;
  private long refusedUntilNs;
  private final List<SimPort> opened = new ArrayList<>();
  private @Nullable SimPort last;

  /** For a port at that address. */
  public SimOpener(
      SimNetwork network, RailAddress address, PortProfile profile, int weight, SimHost host) {
    this.network = network;
    this.address = address;
    this.profile = profile;
    this.weight = weight;
    this.host = host;
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
    SimPort port = network.open(address, profile, handler, host);
    opened.add(port);
    last = port;
    return port;
  }

  /** Packets handed up by all ports opened so far. */
  public long handedUp() {
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
}
