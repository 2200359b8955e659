// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.reliability.wire.Cookie;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The initiating side of a handshake: which doors were knocked at, and when to knock again. */
final class Handshake {
  private static final long FIRST_INTERVAL_NS = 20_000_000L;
  private static final long MAX_INTERVAL_NS = 500_000_000L;
  private static final int HELLO_TRIES = 5;

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

  long nextNs;
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

  /** Spaces the attempts out. */
  void sent(long nowNs) {
    nextNs = nowNs + intervalNs;
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
    nextNs = nowNs;
    intervalNs = FIRST_INTERVAL_NS;
  }

  /** Whoever answered cannot be used now: begins again, but not before that time. */
  void refused(long againNs) {
    answered = null;
    nextNs = Math.max(nextNs, againNs);
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
