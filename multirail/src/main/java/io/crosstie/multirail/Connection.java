// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.ChannelCore;
import io.crosstie.reliability.Priority;
import io.crosstie.transport.Counters;
import java.util.List;

/** SKELETON: signatures only; the body follows. All calls on the engine's thread unless said otherwise. */
public abstract class Connection {
  /** Life of a connection. */
  public enum State {
    /** Handshake under way. */
    CONNECTING,
    /** Usable. */
    UP,
    /** Closed here, draining. */
    CLOSING,
    /** Over: closed in good order by either side. */
    CLOSED,
    /** Over: peer time-out. */
    LOST,
    /** Over: the peer has a new incarnation. */
    RESTARTED
  }

  /** Any thread. */
  public abstract State state();

  /** Any thread. */
  public abstract String peerName();

  /** Any thread; -1 if none or not known yet. */
  public abstract int peerRank();

  /** Any thread; 0 if not known yet. */
  public abstract long peerIncarnation();

  /** Opens or finds a channel; any thread. */
  public abstract ChannelCore channel(int number, Priority priority);

  /** Any thread. */
  public abstract Counters<ConnectionCounter> counters();

  /** Snapshot of the rails; any thread. */
  public abstract List<RailInfo> rails();

  /** Why the connection is not up yet, for a person: last handshake problem per seed address; any thread. */
  public abstract String problem();

  /** Drains for up to lingerNs, exchanges CLOSE, then is gone. */
  public abstract void close(long lingerNs, long nowNs);

  /** A rail as others may see it: id, name ("udp:127.0.0.1:7400-127.0.0.1:7401"), state, local and remote address, counters. */
  public record RailInfo(
      int id, String name, String kind, RailState state, String local, String remote, Counters<RailCounter> counters) {}
}
