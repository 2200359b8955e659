// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of one connection that this side begins: by which rails the peer is tried, who
 * answered with a cookie, and when the next INIT or HELLO is due.
 */
final class HandshakeAttempt {
  private static final long FIRST_INTERVAL_NS = 20_000_000L;
  private static final long MAX_INTERVAL_NS = 500_000_000L;
  private static final int MAX_HELLOS = 5;

  /** After so many transmissions without an answer the peer may be dead. */
  private static final int FIRST_TRANSMISSIONS = 4;

  private final SeedAddresses seeds;
  private final List<SeedRail> rails = new ArrayList<>();

  private @Nullable InitQueue queue;
  private @Nullable Connection connection;

  /** Where it stands in its queue's heap; -1 if it is in none. */
  private int heapIndex = -1;

  private long dueNs;

  /** The rate limit was asked, and lets the next INIT leave at {@link #dueNs}. */
  private boolean isReserved;

  private int transmissions;
  private long intervalNs = FIRST_INTERVAL_NS;
  private @Nullable SeedRail answered;
  private Cookie cookie = Cookie.EMPTY;

  /** The incarnation of the peer that was told the connection's id; 0 if none was. */
  private long knownTo;

  private long retryNs = Long.MIN_VALUE;
  private int hellos;
  private long helloNs;
  private boolean helloLeft;

  HandshakeAttempt(SeedAddresses seeds, long nowNs) {
    this.seeds = seeds;
    this.dueNs = nowNs;
  }

  // ---- its queue ----

  void enter(InitQueue into, Connection of) {
    queue = into;
    connection = of;
  }

  Connection connection() {
    Connection c = connection;
    if (c == null) {
      throw new IllegalStateException("in no queue");
    }
    return c;
  }

  int heapIndex() {
    return heapIndex;
  }

  void moveTo(int newHeapIndex) {
    heapIndex = newHeapIndex;
  }

  // ---- when the next packet leaves ----

  /** When the next INIT or HELLO is due. */
  long dueNs() {
    return dueNs;
  }

  /** The next INIT or HELLO is due then, whatever was said before. */
  void schedule(long atNs) {
    dueNs = atNs;
    isReserved = false;
    if (queue != null) {
      queue.onRescheduled(this);
    }
  }

  /** Nothing comes of it any more. */
  void suspend() {
    schedule(Long.MAX_VALUE);
  }

  /**
   * Whether what is due may leave now; else it is due later. INITs are subject to the rate limit of
   * the queue, HELLOs answer and are not.
   */
  boolean mayLeave(InitQueue limits, long nowNs) {
    if (answered != null || isReserved) {
      return true;
    }
    long atNs = limits.reserve(this, rails.size(), nowNs);
    schedule(atNs);
    isReserved = atNs > nowNs;
    return !isReserved;
  }

  /** Whether the peer was not tried for long yet. */
  boolean isNew() {
    return transmissions < FIRST_TRANSMISSIONS;
  }

  /** A round of INITs, or a HELLO, leaves; the intervals between them double. */
  void onTransmitted(long nowNs) {
    transmissions++;
    schedule(nowNs + intervalNs);
    intervalNs = Math.min(MAX_INTERVAL_NS, intervalNs * 2);
    if (answered != null && ++hellos > MAX_HELLOS) {
      answered = null; // its cookie may be too old
    }
  }

  // ---- the rails to seeds ----

  SeedAddresses seeds() {
    return seeds;
  }

  List<SeedRail> rails() {
    return rails;
  }

  boolean hasRail(int portIndex, RailAddress seed) {
    for (SeedRail rail : rails) {
      if (rail.leadsTo(portIndex, seed)) {
        return true;
      }
    }
    return false;
  }

  void add(SeedRail rail) {
    rails.add(rail);
  }

  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  @Nullable SeedRail railFrom(RailPort port, long source) {
    for (SeedRail rail : rails) {
      if (rail.port == port && rail.rail.remoteKey() == source) {
        return rail;
      }
    }
    return null;
  }

  /** Takes what is known of the seeds, and drops rails that have ended or that no seed gives. */
  void refreshSeeds(long nowNs) {
    seeds.refresh(nowNs);
    rails.removeIf(
        rail -> {
          if (rail.rail.isOpen() && (rail == answered || seeds.addresses().contains(rail.seed))) {
            return false;
          }
          rail.close();
          if (answered == rail) {
            answered = null;
          }
          return true;
        });
  }

  /** It is over: closes every rail but the one to keep. */
  void end(@Nullable SeedRail keep) {
    for (SeedRail rail : rails) {
      if (rail != keep) {
        rail.close();
      }
    }
    rails.clear();
    answered = null;
  }

  // ---- the answers ----

  /** The rail by which a cookie came, if its sender is asked now. */
  @Nullable SeedRail answered() {
    return answered;
  }

  Cookie cookie() {
    return cookie;
  }

  /**
   * A cookie came: a HELLO is due at once, unless one is under way. On a slow path every INIT that
   * was repeated is answered, and HELLOs of 1200 bytes for each of them would fill its queue. For
   * the same reason the intervals go on from what the INITs' had grown to.
   */
  void onRetry(SeedRail from, Cookie with, boolean anotherIncarnation, long nowNs) {
    boolean underWay = answered == from && !anotherIncarnation;
    if (answered != from) {
      helloLeft = false;
    }
    answered = from;
    cookie = with;
    retryNs = nowNs;
    if (underWay) {
      return;
    }
    hellos = 0;
    schedule(nowNs);
  }

  /** Whether a cookie came no longer ago than that. */
  boolean wasAnswered(long withinNs, long nowNs) {
    return retryNs != Long.MIN_VALUE && nowNs - retryNs < withinNs;
  }

  /**
   * Whoever answers there cannot be used now: begins again, but not before that time. If another
   * one has answered with a cookie nothing changes.
   */
  void onRefused(SeedRail from, long againNs) {
    if (answered != null && answered != from) {
      return;
    }
    answered = null;
    schedule(Math.max(dueNs, againNs));
  }

  /**
   * That incarnation of the peer knows the connection's id, or is about to.
   *
   * @return whether another one was told it before: then the connection needs another, since what
   *     the dead one sent to it may still be under way (R11)
   */
  boolean makeKnownTo(long incarnation) {
    boolean toOther = knownTo != 0 && knownTo != incarnation;
    knownTo = incarnation;
    return toOther;
  }

  void onHello(long nowNs) {
    if (!helloLeft) {
      helloLeft = true;
      helloNs = nowNs;
    }
  }

  /**
   * How long ago the first HELLO left by the rail that answered: the round trip, or longer if that
   * one was lost; 0 if none left.
   */
  long roundTripNs(long nowNs) {
    return helloLeft ? nowNs - helloNs : 0;
  }
}
