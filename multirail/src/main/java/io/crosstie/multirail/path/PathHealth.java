// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.event.RailState;
import io.crosstie.transport.Counters;

/**
 * The state of a rail, and when what it is judged by was seen. {@link RailHealth} judges. Effective
 * time; {@link #NEVER_NS} stands for what has not happened.
 */
public final class PathHealth {
  /** Longer ago than anything, and far enough from the end of the numbers to be subtracted. */
  static final long NEVER_NS = Long.MIN_VALUE / 2;

  /** To fall again within that time is a relapse; each such time without one makes up for one. */
  private static final long STABLE_NS = 1_000_000_000L;

  private static final int MAX_RELAPSES = 8;

  private final Counters<RailCounter> counters;
  private RailState state = RailState.UNVALIDATED;
  private long stateSinceNs;
  private long accountedNs;
  private long doubtedNs = Long.MAX_VALUE;
  private long progressNs;
  private long provenNs = NEVER_NS;
  private long linkFailedNs = NEVER_NS;
  private long refusedNs = NEVER_NS;
  private long heardNs;
  private long silentSinceNs;
  private long lostAtNs;
  private int relapses;
  private long activeSinceNs;
  private boolean wasActive;

  PathHealth(Counters<RailCounter> counters, long nowNs) {
    this.counters = counters;
    this.stateSinceNs = nowNs;
    this.accountedNs = nowNs;
    this.progressNs = nowNs;
    this.heardNs = nowNs;
    counters.set(RailCounter.STATE, state.ordinal());
  }

  // ---- the state ----

  /** The state that it is in. */
  public RailState state() {
    return state;
  }

  /** Since when. */
  public long stateSinceNs() {
    return stateSinceNs;
  }

  /** Goes into another state. */
  void enter(RailState to, long nowNs) {
    RailState from = state;
    account(nowNs);
    state = to;
    stateSinceNs = nowNs;
    counters.set(RailCounter.STATE, to.ordinal());
    switch (to) {
      case SUSPECT -> {
        silentSinceNs = progressNs;
        counters.increment(RailCounter.SUSPECTED);
      }
      case DOWN -> {
        if (from != RailState.PROBING) { // from which nothing was moved
          counters.increment(RailCounter.FAILOVERS);
        }
      }
      case ACTIVE -> {
        wasActive = true;
        if (from != RailState.SUSPECT) { // a suspicion that passed is no return
          activeSinceNs = nowNs;
        }
        if (from == RailState.DOWN || from == RailState.PROBING) {
          counters.increment(RailCounter.FAILBACKS);
        }
      }
      default -> {}
    }
  }

  /** Adds the time since the last call to the counter of the present state. */
  public void account(long nowNs) {
    RailCounter counter =
        switch (state) {
          case UNVALIDATED -> RailCounter.NS_UNVALIDATED;
          case ACTIVE -> RailCounter.NS_ACTIVE;
          case SUSPECT -> RailCounter.NS_SUSPECT;
          case DOWN, REMOVED -> RailCounter.NS_DOWN;
          case PROBING -> RailCounter.NS_PROBING;
        };
    counters.add(counter, Math.max(0, nowNs - accountedNs));
    accountedNs = nowNs;
  }

  /** It has been of use, since it was added. */
  public boolean wasActive() {
    return wasActive;
  }

  /** When it was last taken into use, or back. */
  public long activeSinceNs() {
    return activeSinceNs;
  }

  /** It was added again: what it was before counts no more. */
  void forget() {
    wasActive = false;
    relapses = 0;
  }

  /** How often it fell again soon after its return. */
  public int relapses() {
    return relapses;
  }

  /** It was in use and is of use no more: that began when it fell silent. */
  void onLost(long nowNs) {
    lostAtNs = state == RailState.SUSPECT ? silentSinceNs : progressNs;
    long calm = (nowNs - activeSinceNs) / STABLE_NS;
    relapses =
        calm == 0 ? Math.min(relapses + 1, MAX_RELAPSES) : (int) Math.max(0, relapses - calm);
  }

  /** It answered probes, and does so no more since then. */
  void onProbesUnanswered(long sinceNs) {
    lostAtNs = Math.max(lostAtNs, sinceNs);
  }

  /** How long it has been lost. */
  long lostForNs(long nowNs) {
    return nowNs - lostAtNs;
  }

  /** How long it has been silent or lost. */
  long awayNs(long nowNs) {
    return state == RailState.SUSPECT ? nowNs - silentSinceNs : lostForNs(nowNs);
  }

  // ---- what it is judged by ----

  /** When anything valid last arrived here. */
  public long heardNs() {
    return heardNs;
  }

  /** Something valid arrived here. */
  public void onHeard(long nowNs) {
    heardNs = nowNs;
  }

  /** When a packet sent here was last acknowledged, or a challenge answered. */
  long progressNs() {
    return progressNs;
  }

  /** A packet sent here was acknowledged, or a challenge answered. */
  public void onProgress(long nowNs) {
    progressNs = nowNs;
  }

  /** Something leaves and nothing was under way: silence counts from here. */
  void onBusy(long nowNs) {
    if (state == RailState.ACTIVE) {
      progressNs = Math.max(progressNs, nowNs - 1);
    }
  }

  /** When the newest packet or challenge that the peer answered here had left: it lived then. */
  public long provenNs() {
    return provenNs;
  }

  /** The peer answered here what had left then. */
  void onProven(long sentNs) {
    provenNs = Math.max(provenNs, sentNs);
  }

  /** When the link last said that nobody listens there. */
  public long refusedNs() {
    return refusedNs;
  }

  /** The link says that nobody listens there. */
  public void onRefused(long nowNs) {
    refusedNs = nowNs;
  }

  /** The link says that there is no way. */
  void onUnreachable(long nowNs) {
    linkFailedNs = nowNs;
  }

  /** Whether something that left since the link said that there is no way was answered. */
  boolean isProvenSinceLinkFailed() {
    return provenNs >= linkFailedNs;
  }

  /** Since when a lossless rail seems to be of no use, with this look; nowNs if since now. */
  long doubt(long nowNs) {
    doubtedNs = Math.min(doubtedNs, nowNs);
    return doubtedNs;
  }

  /** It does not seem to be of no use. */
  void trust() {
    doubtedNs = Long.MAX_VALUE;
  }
}
