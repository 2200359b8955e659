// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the page shows, at one moment.
 *
 * @param session number of the streams' present life, from 1
 * @param sent what this side's channels took; null at the receiver
 * @param receiver the receiver's own account, the latest that came; null before the first
 * @param reportAgeMs how old that is
 * @param unknown messages whose fate could not be known when the peer was restarted or lost
 * @param traffic what each rail carried in the streams' present life; empty at the receiver
 * @param cutGapMs longest gap about the last cut; null if there was none
 * @param sample the newest point of the curves; null at the receiver
 * @param events newest first
 */
record LiveState(
    String node,
    String container,
    String peerState,
    String incarnation,
    String peerIncarnation,
    long session,
    long restarts,
    long losses,
    long unknown,
    boolean reinjection,
    boolean paused,
    int loadMbit,
    @Nullable Sent sent,
    @Nullable Report receiver,
    double reportAgeMs,
    List<RailView> rails,
    List<Traffic> traffic,
    @Nullable Double cutGapMs,
    @Nullable Verdict verdict,
    @Nullable Sample sample,
    List<String> events) {
  /** What the sender's channels took, and what the receiver has told of. */
  record Sent(long bulk, long heartbeats, long bytes, long delivered, long underWay) {}

  /**
   * Bytes of one rail.
   *
   * @param sent by the kernel's count at this side's interface
   * @param arrived by the kernel's count at the receiver's
   * @param payload of these, as Crosstie accepted it
   */
  record Traffic(long sent, long arrived, long payload) {}

  /**
   * A judgement.
   *
   * @param colour "green", "red" or "grey"
   */
  record Verdict(String colour, String text) {}

  /**
   * A point of the curves, in Mbit/s.
   *
   * @param timeMs since 1970
   * @param goodput of each rail, as the receiver accepted it
   * @param kernel what the kernel sent on each interface
   */
  record Sample(long timeMs, List<Double> goodput, double total, List<Double> kernel, double tcp) {}
}
