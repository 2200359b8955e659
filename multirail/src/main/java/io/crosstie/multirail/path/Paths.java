// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;
import io.crosstie.reliability.memory.PathBytes;
import io.crosstie.reliability.wire.PacketHeader;
import org.jspecify.annotations.Nullable;

/** The rails of one connection by their numbers, which both sides agree on. One thread. */
public final class Paths {
  private final @Nullable RailPath[] paths = new RailPath[PacketHeader.MAX_RAIL + 1];
  private final PathBytes holds;
  private int count;
  private long heardNs;
  private long peerAckDelayNs = 1_000_000L;

  /**
   * None so far.
   *
   * @param holds is told what they hold while they carry their rate
   */
  public Paths(long nowNs, PathBytes holds) {
    heardNs = nowNs;
    this.holds = holds;
  }

  /** One more than the highest number that there is. */
  public int count() {
    return count;
  }

  /** The rail of that number, 0 to {@link PacketHeader#MAX_RAIL}; null if it was never used. */
  public @Nullable RailPath get(int id) {
    return paths[id];
  }

  /** Takes a new one in. */
  public void add(RailPath path) {
    paths[path.id()] = path;
    count = Math.max(count, path.id() + 1);
  }

  /** When anything valid last arrived on any of them; effective time. */
  public long heardNs() {
    return heardNs;
  }

  /** Something valid arrived on one of them. */
  public void onHeard(long nowNs) {
    heardNs = nowNs;
  }

  /** The longest round trip of those in use, 0 if none is known. */
  public long longestRttNs() {
    long rttNs = 0;
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      if (path != null && path.state() == RailState.ACTIVE && path.rtt().isMeasured()) {
        rttNs = Math.max(rttNs, path.rtt().smoothedNs());
      }
    }
    return rttNs;
  }

  /** The longest of the least round trips of those in use that cross a network, 0 if none does. */
  public long networkRttNs() {
    long rttNs = 0;
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      if (path != null && crossesNetwork(path)) {
        rttNs = Math.max(rttNs, path.rtt().windowedMinNs());
      }
    }
    return rttNs;
  }

  private static boolean crossesNetwork(RailPath path) {
    return path.state() == RailState.ACTIVE && path.isPaced() && path.rtt().isMeasured();
  }

  /** A round trip is over on one of them: what all hold together is reckoned anew. */
  void onRound() {
    double rate = 0;
    long rttNs = 0;
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      if (path != null && crossesNetwork(path) && path.congestion().rounds() > 0) {
        rate += path.congestion().rateBytesPerSecond();
        rttNs = Math.max(rttNs, path.rtt().smoothedNs());
      }
    }
    holds.measured((long) (rate * rttNs / 1e9), rttNs);
  }

  /** Packets that have left on all of them. */
  public long packetsSent() {
    long sent = 0;
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      sent += path == null ? 0 : path.sent().nextNumber();
    }
    return sent;
  }

  /** When one of them has something to do: a timer, or an acknowledgement that cannot wait. */
  public long deadlineNs() {
    long deadline = Long.MAX_VALUE;
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      if (path != null) {
        deadline = Math.min(deadline, path.timers().deadlineNs());
        if (!path.link().isLossless() && path.received().hasAckToSend()) {
          deadline = Math.min(deadline, path.received().ackDeadlineNs());
        }
      }
    }
    return deadline;
  }

  /** The longest that the peer holds an ACK back. */
  public long peerAckDelayNs() {
    return peerAckDelayNs;
  }

  /** The peer said how long it holds an ACK back at most. */
  public void onPeerAckDelay(long maxNs) {
    peerAckDelayNs = maxNs;
  }

  /** Whether messages may be bound to any rail. */
  public boolean anyUsable() {
    return isAnother(null, true);
  }

  /** Whether there is an open rail other than this one, in whatever state. */
  boolean isAnother(RailPath path) {
    return isAnother(path, false);
  }

  /** Whether a rail other than this one may carry its fragments. */
  boolean anotherUsable(RailPath path) {
    return isAnother(path, true);
  }

  @SuppressWarnings("ReferenceEquality") // this very path
  private boolean isAnother(@Nullable RailPath than, boolean active) {
    for (int i = 0; i < count; i++) {
      RailPath path = paths[i];
      if (path != null && path != than && (!active || path.isActive()) && path.isOpen()) {
        return true;
      }
    }
    return false;
  }

  /** When the newest packet or challenge that the peer answered on another rail had left. */
  @SuppressWarnings("ReferenceEquality") // this very path
  long provenElsewhereNs(RailPath path) {
    long provenNs = PathHealth.NEVER_NS;
    for (int i = 0; i < count; i++) {
      RailPath other = paths[i];
      if (other != null && other != path && other.state() == RailState.ACTIVE) {
        provenNs = Math.max(provenNs, other.health().provenNs());
      }
    }
    return provenNs;
  }
}
