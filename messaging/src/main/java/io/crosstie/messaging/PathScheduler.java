// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/**
 * Binds each packet's fragments to a rail. Called once per packet on the engine's thread; must not
 * block or allocate. An instance serves one connection and may keep state.
 */
public interface PathScheduler {
  /** {@link #select} result: no rail now; wait for one that is worth waiting for. */
  int WAIT = -1;

  /**
   * Picks a rail for the next packet.
   *
   * @param rails what is known of the rails; only those with {@link RailsView#usable} may be picked
   * @param packetBytes payload wanted in this packet, in bytes
   * @param backlogBytes payload waiting in all, this packet included
   * @param avoid rail from which the fragments come and which should be avoided if another can take
   *     them, or -1
   * @param nowNs the engine's clock
   * @return index of a usable rail that {@link RailsView#canSendNow}, or {@link #WAIT}
   */
  int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs);

  /** Told what was really sent. */
  default void onSent(int rail, long payloadBytes) {}

  /** Whether every packet's content goes to all usable rails. */
  default boolean redundant() {
    return false;
  }

  /** What a scheduler may know of the rails, by index. */
  interface RailsView {
    /** Number of rails; indices run from 0. */
    int count();

    /** Whether the rail may carry new fragments: ACTIVE, or the best of the rest where none is. */
    boolean usable(int rail);

    /** Whether the rail has room now in window, pacing and transmit memory. */
    boolean canSendNow(int rail);

    /**
     * Nanoseconds until pacing lets the rail send; 0 if now; a round trip if the window is full.
     */
    long waitNs(int rail, long nowNs);

    /** Estimated rate in bytes per second, at least 1. */
    long rate(int rail);

    /** Bytes in flight. */
    long flightBytes(int rail);

    /** Smoothed round trip in nanoseconds. */
    long rttNs(int rail);

    /** Configured weight, 1 by default ({@code weight=} of the rail). */
    int weight(int rail);
  }
}
