// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.ChannelCore;
import io.crosstie.transport.Counters;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import java.util.List;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/** SKELETON: signatures only; the body follows. The sans-I/O core of a node: ports, handshakes, connections, timers. Engine thread only unless said otherwise. */
public final class Endpoint {
  public Endpoint(EndpointConfig config, RandomGenerator random, Supplier<PathScheduler> schedulers, EndpointListener listener) {
    throw new IllegalStateException();
  }

  /** Opens a port; throws if it cannot be opened the first time. Returns its index. May be called while messages flow. */
  public int addPort(PortOpener opener, long nowNs) throws RailException {
    throw new IllegalStateException();
  }

  /** Removes a port and every rail that leaves from it, after moving its traffic. */
  public void removePort(int index, long nowNs) {
    throw new IllegalStateException();
  }

  /** Begins a connection to a named peer; seeds are tried in turn, with back-off, for ever. */
  public Connection connect(String peerName, List<RailAddress> seeds, long nowNs) {
    throw new IllegalStateException();
  }

  /** Any thread: a channel has new offers, a closed sender, or consumed messages; the engine will look at it in its next cycle. */
  public void signal(Connection connection, ChannelCore channel) {
    throw new IllegalStateException();
  }

  /** One duty cycle at that (raw) time: drains ports, then timers, then sends. Returns work done; 0 = nothing to do. */
  public int poll(long rawNowNs) {
    throw new IllegalStateException();
  }

  /** Raw time of the next deadline, Long.MAX_VALUE if none. */
  public long nextDeadlineNs() {
    throw new IllegalStateException();
  }

  /** Whether the engine may block: asks every port to raise its sleeping flag. */
  public boolean prepareToBlock() {
    throw new IllegalStateException();
  }

  /** After blocking. */
  public void afterBlock() {
    throw new IllegalStateException();
  }

  /** Gives each current and future port to the poller; 0-returning attach means poll at least each millisecond. */
  public void attach(io.crosstie.transport.Poller poller) {
    throw new IllegalStateException();
  }

  /** Whether some port cannot be waited for, so that waits must be at most a millisecond. */
  public boolean hasUnwatchedPort() {
    throw new IllegalStateException();
  }

  /** Changes re-injection while running (negative control). */
  public void setReinjection(boolean on) {
    throw new IllegalStateException();
  }

  /** Any thread. */
  public List<Connection> connections() {
    throw new IllegalStateException();
  }

  /** Any thread. */
  public Counters<EndpointCounter> counters() {
    throw new IllegalStateException();
  }

  /** Any thread: ports by index with name, attributes and counters. */
  public List<PortInfo> ports() {
    throw new IllegalStateException();
  }

  /** A port as others may see it. */
  public record PortInfo(int index, String name, String kind, String address, boolean open, Counters<io.crosstie.transport.PortCounter> counters) {}

  /** Closes all ports and forgets all connections at once (close the connections first to drain). */
  public void close() {
    throw new IllegalStateException();
  }
}
