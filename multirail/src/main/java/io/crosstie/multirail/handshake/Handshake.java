// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The initiating side of a handshake: which doors were knocked at, and when to knock again. */
public final class Handshake {
  private static final long FIRST_INTERVAL_NS = 20_000_000L;
  private static final long MAX_INTERVAL_NS = 500_000_000L;
  private static final int HELLO_TRIES = 5;

  /** So many attempts make it one of those that wait for a peer who may be dead. */
  private static final int NEW_TRIES = 4;

  /** One seed address seen from one port. */
  static final class Door {
    final int portIndex;
    final RailPort port;
    final Rail rail;
    final RailAddress seed;

    /** Packets that the rail took. */
    int committed;

    Door(int portIndex, RailPort port, Rail rail, RailAddress seed) {
      this.portIndex = portIndex;
      this.port = port;
      this.rail = rail;
      this.seed = seed;
    }
  }

  final SeedAddresses seeds;
  final List<Door> doors = new ArrayList<>();

  /** Where it stands in its queue; -1 if it is in none. */
  int place = -1;

  private @Nullable InitQueue queue;
  private @Nullable Connection connection;
  private long nextNs;

  /** The next attempt waited for its turn, and may leave at {@link #nextNs}. */
  private boolean hasTurn;

  private int tries;
  private long intervalNs = FIRST_INTERVAL_NS;

  /** Who answered with a cookie. */
  @Nullable Door answered;

  Cookie cookie = Cookie.EMPTY;

  /** The incarnation of the peer that is told this connection's id; 0 if none was yet. */
  long greeted;

  long heardNs = Long.MIN_VALUE;
  private int hellos;

  /** When the first HELLO left by the door that answered. */
  private long helloNs;

  private boolean helloLeft;

  Handshake(SeedAddresses seeds, long nowNs) {
    this.seeds = seeds;
    this.nextNs = nowNs;
  }

  /** It knocks for that connection, and tells the queue whenever it is due at another time. */
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

  /** When to knock again. */
  long nextNs() {
    return nextNs;
  }

  /** When to knock again, whatever was said before. */
  public void next(long atNs) {
    nextNs = atNs;
    hasTurn = false;
    if (queue != null) {
      queue.moved(this);
    }
  }

  /**
   * Whether an INIT that is due may leave now; else it is due later.
   *
   * @param turnNs what the queue says
   */
  boolean takeTurn(long turnNs, long nowNs) {
    next(turnNs);
    hasTurn = turnNs > nowNs;
    return !hasTurn;
  }

  /** Whether the queue was asked already when an INIT may leave. */
  boolean hasTurn() {
    return hasTurn;
  }

  /** Whether the peer was not tried for long yet. */
  boolean isNew() {
    return tries < NEW_TRIES;
  }

  /** Spaces the attempts out. */
  void sent(long nowNs) {
    tries++;
    next(nowNs + intervalNs);
    intervalNs = Math.min(MAX_INTERVAL_NS, intervalNs * 2);
    if (answered != null && ++hellos > HELLO_TRIES) {
      answered = null; // its cookie may be too old
    }
  }

  void onRetry(Door door, Cookie with, long nowNs) {
    if (answered != door) {
      helloLeft = false;
    }
    answered = door;
    cookie = with;
    heardNs = nowNs;
    hellos = 0;
    next(nowNs);
    intervalNs = FIRST_INTERVAL_NS;
  }

  /**
   * Whoever answers there cannot be used now: begins again, but not before that time. If another
   * one is about to let us in, nothing changes.
   */
  void refused(Door door, long againNs) {
    if (answered != null && answered != door) {
      return;
    }
    answered = null;
    next(Math.max(nextNs, againNs));
  }

  /** A HELLO leaves. */
  void onHello(long nowNs) {
    if (!helloLeft) {
      helloLeft = true;
      helloNs = nowNs;
    }
  }

  /**
   * How long ago the first HELLO left: the round trip, or longer if that one was lost; 0 if none
   * left.
   */
  long roundTripNs(long nowNs) {
    return helloLeft ? nowNs - helloNs : 0;
  }

  @SuppressWarnings("ReferenceEquality") // this very port, not one like it
  @Nullable Door doorOf(RailPort port, long source) {
    for (Door door : doors) {
      if (door.port == port && door.rail.remoteKey() == source) {
        return door;
      }
    }
    return null;
  }

  /** Closes every rail but the one to keep. */
  void closeDoors(@Nullable Door keep) {
    for (Door door : doors) {
      if (door != keep) {
        close(door);
      }
    }
    doors.clear();
    answered = null;
  }

  private static void close(Door door) {
    try {
      door.rail.close();
    } catch (RuntimeException | Error e) {
      // it is gone all the same, whatever its driver thinks of that
    }
  }

  /** Forgets doors whose rail or port is gone, or where no seed leads any more. */
  void sweep() {
    doors.removeIf(
        door -> {
          if (door.rail.isOpen() && (door == answered || seeds.addresses().contains(door.seed))) {
            return false;
          }
          close(door);
          if (answered == door) {
            answered = null;
          }
          return true;
        });
  }
}
