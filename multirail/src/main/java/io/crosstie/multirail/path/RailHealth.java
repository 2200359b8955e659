// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.time.SlipClock;
import io.crosstie.reliability.wire.AckFrame;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;

/**
 * The watchdog of one connection's rails (R14 to R16, R19).
 *
 * <p>A rail whose packets stay unacknowledged for a timeout becomes SUSPECT: what is outstanding on
 * it is queued for others at once, and a challenge asks whether it lives. It goes DOWN only if
 * another rail has proved the peer alive since and a challenge sent after that proof stayed
 * unanswered; when all rails are silent none is blamed, until the peer time-out declares the peer
 * lost. A rail whose link reports its own end is DOWN at once, for that is no guess.
 *
 * <p>A rail that is DOWN is probed for ever; a lossless one, which has no reason to be silent while
 * the peer is heard, is opened anew after a second or two of that. It is taken back after a number
 * of answers over a time that doubles with each relapse within a second of its return; at once if
 * no other rail works. Time here is the endpoint's effective time, in which pauses of this process
 * do not count.
 */
public final class RailHealth {
  private static final long LONG_OUTAGE_NS = 20_000_000_000L;
  private static final long MAX_PENALTY_NS = 5_000_000_000L;

  /** Without any news for so long, and again as often, the addresses of the beginning are tried. */
  private static final long SEEK_NS = 500_000_000L;

  /** A lossless rail is pinged so much less often. */
  private static final int LOSSLESS_KEEP_ALIVES = 4;

  private static final int KEEP_ALIVES_PER_TIMEOUT = 4;

  /**
   * A lossless rail through which nothing comes for so long is opened anew. Where no other one
   * works that is in time for the peer, which may hear nothing meanwhile: it is not to be lost
   * before. Where one does nothing is urgent, and a peer whose processors are busy has all the
   * time, however short the time-out.
   */
  private static final long RENEW_NS = 1_000_000_000L;

  /** One that has never answered has more of that: the peer may still be about to map it. */
  private static final int RENEW_UNVALIDATED = 3;

  /** That part of the peer time-out at most, where no other rail works. */
  private static final int RENEWS_PER_TIMEOUT = 4;

  /**
   * So long the peer has, once the rail seems to be of no use though the peer is heard, to take
   * what lies there: its processors may be busy.
   */
  private static final long RENEW_GRACE_NS = 1_000_000_000L;

  private static final int RENEW_GRACES_PER_TIMEOUT = 8;

  /** What is to be done after the rails were judged. */
  public enum Finding {
    /** Nothing. */
    NONE,
    /** No rail brings news: to look for others by the addresses that the connection began with. */
    NO_RAIL,
    /** Nothing was heard on any rail for the peer time-out: the peer is lost. */
    PEER_LOST
  }

  private final Paths paths;
  private final Recovery recovery;
  private final ProbeBudget budget;
  private final PortTable ports;
  private final EndpointConfig config;
  private final SlipClock clock;
  private final PathListener listener;
  private final RateLimiter unvalidatedProbes = ProbeBudget.ofPeer();
  private long nextSeekNs;

  /** Some rail is pinged now. */
  private boolean pings;

  /**
   * For the rails of one connection.
   *
   * @param budget the node's
   * @param ports the node's
   * @param clock the node's
   */
  public RailHealth(
      Paths paths,
      Recovery recovery,
      ProbeBudget budget,
      PortTable ports,
      EndpointConfig config,
      SlipClock clock,
      PathListener listener) {
    this.paths = paths;
    this.recovery = recovery;
    this.budget = budget;
    this.ports = ports;
    this.config = config;
    this.clock = clock;
    this.listener = listener;
  }

  private void change(RailPath path, RailState to, String cause, long gapNs, long nowNs) {
    RailState from = path.state();
    if (from == to) {
      return;
    }
    path.health().enter(to, nowNs);
    path.probing().giveBack();
    listener.onRailChanged(path, from, to, cause, gapNs);
  }

  // ---- what recovery finds ----

  /**
   * Reads how far the peer has consumed each lossless rail.
   *
   * @param now whether somebody is about to be judged by it; else they are read no more often than
   *     is of use
   * @return whether something may have become due to be said
   */
  public boolean pollConsumed(boolean now, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && recovery.pollConsumed(path, now, nowNs)) {
        onProgress(path, nowNs);
      }
    }
    return recovery.takeNews();
  }

  /**
   * An ACK frame for a rail's packets arrived.
   *
   * @param by the rail that brought it
   * @return false if it names packets that were never sent
   */
  public boolean onAck(RailPath path, RailPath by, byte[] m, int at, long nowNs) {
    path.counters().increment(RailCounter.ACKS_IN);
    if (path.link().isLossless()) {
      return true;
    }
    long largest = AckFrame.largest(m, at);
    if (largest >= path.sent().nextNumber()) {
      return false;
    }
    if (recovery.onAck(path, by, m, at, nowNs)) {
      onProgress(path, nowNs);
    }
    recovery.onAckEnd(path, largest, nowNs);
    return true;
  }

  /**
   * The peer could not use a packet.
   *
   * @param n less than the next number
   */
  public void onNack(RailPath path, long n, long nowNs) {
    if (recovery.onNack(path, n, nowNs)) {
      onProgress(path, nowNs);
    }
  }

  /** A packet sent on this rail was acknowledged. */
  private void onProgress(RailPath path, long nowNs) {
    path.health().onProgress(nowNs);
    path.health().onHeard(nowNs);
    // What arrived before the link failed proves nothing.
    if (path.state() == RailState.SUSPECT && path.health().isProvenSinceLinkFailed()) {
      activate(path, "answers again", nowNs);
    }
  }

  private void activate(RailPath path, String cause, long nowNs) {
    RailState from = path.state();
    long away = path.health().awayNs(nowNs);
    path.health().onProgress(nowNs);
    path.probing().forgetProof();
    path.probing().closeChallenge();
    if (from == RailState.UNVALIDATED && path.link().remote() != null) {
      budget.onAnswer(path.link().remote());
    }
    if (from != RailState.SUSPECT) {
      path.startAnew(from != RailState.UNVALIDATED, nowNs);
    }
    change(path, RailState.ACTIVE, cause, from == RailState.UNVALIDATED ? 0 : away, nowNs);
    // What hangs on rails that are still silent can leave here now.
    for (int i = 0; i < paths.count(); i++) {
      RailPath other = paths.get(i);
      if (other != null && other.state() == RailState.SUSPECT) {
        recovery.reinject(other);
      }
    }
  }

  /** The handshake itself proved the rail. */
  public void validated(RailPath path, long nowNs) {
    if (path.state() == RailState.UNVALIDATED) {
      activate(path, "handshake", nowNs);
    }
  }

  /** A timeout passed without any progress (R14). */
  void suspect(RailPath path, String cause, long nowNs) {
    if (path.state() != RailState.ACTIVE) {
      return;
    }
    change(path, RailState.SUSPECT, cause, nowNs - path.health().progressNs(), nowNs);
    path.probing().beginProbes(true, nowNs);
    path.probing().forgetProof();
    if (paths.anyUsable()) {
      recovery.reinject(path);
      askOthers();
    }
  }

  /**
   * The link says that there is no way: no reason to wait for the timeout, but none to give the
   * rail up, either (R22).
   */
  public void onUnreachable(RailPath path, long nowNs) {
    path.health().onUnreachable(nowNs);
    if (paths.anotherUsable(path)) {
      suspect(path, "the link says that there is no way", nowNs);
    }
  }

  /** Idle rails are asked as well, so that it shows soon whether the rail or the peer is silent. */
  private void askOthers() {
    for (int i = 0; i < paths.count(); i++) {
      RailPath other = paths.get(i);
      if (other != null && other.state() == RailState.ACTIVE && other.sent().outstanding() == 0) {
        other.probing().pingNow();
      }
    }
  }

  /** The link itself said that it is of no use any more. */
  public void onClosed(RailPath path, String cause, long nowNs) {
    Rail rail = path.link().detach();
    if (rail == null) {
      return;
    }
    ports.close(rail);
    path.counters().increment(RailCounter.RESTARTS);
    boolean wasOfUse = path.state() == RailState.ACTIVE || path.state() == RailState.SUSPECT;
    down(path, cause, nowNs);
    path.link().connectAfterLoss(wasOfUse, nowNs);
  }

  private void down(RailPath path, String cause, long nowNs) {
    if (path.state() == RailState.DOWN || path.state() == RailState.REMOVED) {
      recovery.discardAll(path, nowNs);
      return;
    }
    boolean wasActive = path.state() == RailState.ACTIVE || path.state() == RailState.SUSPECT;
    if (wasActive) {
      path.health().onLost(nowNs);
    }
    path.probing().onDown(nowNs);
    change(path, RailState.DOWN, cause, path.health().lostForNs(nowNs), nowNs);
    recovery.discardAll(path, nowNs);
  }

  /** The rail is taken out for good. */
  public void remove(RailPath path, long nowNs) {
    if (path.state() == RailState.REMOVED) {
      return;
    }
    change(path, RailState.REMOVED, "removed", 0, nowNs);
    recovery.discardAll(path, nowNs);
    Rail rail = path.link().rail();
    if (rail != null) {
      rail.flush();
      rail.close();
      Rail unused = path.link().detach();
    }
  }

  /** A rail that was taken out is put in again. */
  public void reopen(RailPath path, long nowNs) {
    path.probing().begin(nowNs);
    path.health().forget();
    path.link().connectNow(nowNs);
    change(path, RailState.UNVALIDATED, "added again", 0, nowNs);
  }

  /** An answer to our challenge came over this rail. */
  public void onResponse(RailPath path, long token, long nowNs) {
    Probing probing = path.probing();
    if (!probing.onResponse(token, nowNs)) {
      return;
    }
    long sentNs = probing.challengeSentNs();
    boolean repeated = probing.wasRepeated();
    if (!repeated) {
      path.health().onProven(sentNs);
    }
    path.counters().increment(RailCounter.PROBES_ANSWERED);
    path.health().onHeard(nowNs);
    if (!path.link().isLossless() && sentNs >= path.clock().lastSlipAtNs()) {
      long sample = clock.freshNs() - sentNs;
      if (repeated) {
        path.rtt().seed(sample, nowNs);
      } else {
        path.rtt().onSample(sample, 0, nowNs);
      }
    }
    switch (path.state()) {
      case UNVALIDATED -> activate(path, "validated", nowNs);
      case SUSPECT -> activate(path, "answers again", nowNs);
      case DOWN -> {
        probing.onProbeAnswered(nowNs);
        long lostNs = path.health().lostForNs(nowNs);
        change(path, RailState.PROBING, "answered a probe", lostNs, nowNs);
        recoverIfProven(path, nowNs);
        probing.beginProbes(false, nowNs);
      }
      case PROBING -> {
        probing.onProbeAnswered(nowNs);
        recoverIfProven(path, nowNs);
        probing.probeAfterAnswer(nowNs);
      }
      case ACTIVE -> path.health().onProgress(nowNs);
      case REMOVED -> {}
    }
  }

  private void recoverIfProven(RailPath path, long nowNs) {
    long needed = Math.min(MAX_PENALTY_NS, config.recoverNs() << path.health().relapses());
    if (!paths.anyUsable() || path.probing().isProven(config.probesToRecover(), needed, nowNs)) {
      activate(path, "recovered", nowNs);
    }
  }

  /**
   * Has what is overdue sent again, judges the rails and has them probed; runs after everything
   * that arrived was handled (R19).
   *
   * @param initiator whether this side began the connection, and so makes the rails
   */
  public Finding onTimers(boolean initiator, long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && recovery.onTimers(path, nowNs)) {
        suspect(path, "no acknowledgement", nowNs);
      }
    }
    if (nowNs - paths.heardNs() >= config.peerTimeoutNs()) {
      return Finding.PEER_LOST;
    }
    pings = isAnyPingDue(nowNs);
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null && path.state() != RailState.REMOVED) {
        judge(path, initiator, nowNs);
      }
    }
    if (nowNs < seekNs(initiator)) {
      return Finding.NONE;
    }
    nextSeekNs = nowNs + SEEK_NS;
    return Finding.NO_RAIL;
  }

  private long seekNs(boolean initiator) {
    return initiator && !paths.anyUsable()
        ? Math.max(nextSeekNs, paths.heardNs() + SEEK_NS)
        : Long.MAX_VALUE;
  }

  /**
   * How long an idle rail is left alone. The end of a lossless one shows by itself, and it loses
   * nothing: what a ping finds out there is only that the whole peer is silent, and that is judged
   * by the much longer peer time-out.
   */
  private long keepAliveNs(RailPath path) {
    // one that is idle is heard several times within the time after which it would be lost
    long interval =
        Math.min(config.keepAliveNs(), config.peerTimeoutNs() / KEEP_ALIVES_PER_TIMEOUT);
    return path.link().isLossless()
        ? Math.max(
            interval,
            Math.min(
                LOSSLESS_KEEP_ALIVES * interval, config.peerTimeoutNs() / LOSSLESS_KEEP_ALIVES))
        : interval;
  }

  /**
   * Where one rail is pinged, those that were idle for half of their time are too: so rails soon
   * take turns no more, and an idle node wakes for all of them at once.
   */
  private boolean isPingDue(RailPath path, long nowNs) {
    long idleNs = nowNs - path.timers().elicitingSentNs();
    long interval = keepAliveNs(path);
    return idleNs >= interval || (pings && idleNs >= interval / 2);
  }

  private boolean isAnyPingDue(long nowNs) {
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path != null
          && path.state() == RailState.ACTIVE
          && nowNs - path.timers().elicitingSentNs() >= keepAliveNs(path)) {
        return true;
      }
    }
    return false;
  }

  private void judge(RailPath path, boolean initiator, long nowNs) {
    Rail rail = path.link().rail();
    if (rail == null) {
      reconnect(path, initiator, nowNs);
      return;
    }
    if (!rail.isOpen()) {
      onClosed(path, "link closed", nowNs);
      return;
    }
    if (isSpoiled(path, nowNs)) {
      onClosed(path, "nothing comes through it", nowNs);
      return;
    }
    switch (path.state()) {
      case ACTIVE -> {
        if (isPingDue(path, nowNs)) {
          path.probing().pingNow();
          path.probing().infoNow(); // long enough to draw a RESET from a peer that forgot us
        }
      }
      case SUSPECT -> {
        judgeSuspect(path, nowNs);
        probe(path, nowNs);
      }
      case UNVALIDATED, DOWN, PROBING -> {
        if (path.state() == RailState.PROBING
            && nowNs - path.probing().answeredNs() > verdictNs(path)) {
          path.health().onProbesUnanswered(path.probing().answeredNs());
          down(path, "fell silent while being probed", nowNs);
        }
        probe(path, nowNs);
      }
      case REMOVED -> {}
    }
  }

  /** How long a probe may stay unanswered: at least what its round trip explains. */
  private long verdictNs(RailPath path) {
    if (path.link().isLossless()) {
      return config.downNs();
    }
    long roundTrip = path.responseNs(paths.peerAckDelayNs());
    return Math.max(config.downNs(), 2 * roundTrip);
  }

  /**
   * Blames a silent rail only if the peer answered elsewhere what was sent after the rail fell
   * silent, a probe that left after that proof stayed unanswered, and the peer went on answering
   * what was sent later than that. (What merely arrives may have left before the peer stopped.)
   */
  private void judgeSuspect(RailPath path, long nowNs) {
    long provenNs = paths.provenElsewhereNs(path);
    long probeNs = path.probing().proofProbeNs();
    if (probeNs == Long.MAX_VALUE) {
      if (provenNs > path.health().stateSinceNs()) {
        path.probing().askForProof(nowNs);
      }
    } else if (nowNs - probeNs >= verdictNs(path) && provenNs - probeNs >= verdictNs(path) / 2) {
      down(path, "silent while the peer answers elsewhere", nowNs);
    }
  }

  /**
   * Whether a lossless rail is of no use though nothing has ended it: somebody wrote over its
   * memory, say, and the peer waits at a place where no record will ever begin. Probes then stay
   * unanswered, or find no room. That it is the peer who stands still is excluded by what it has
   * sent long after, over whatever rail: whoever does that looks into the ring as well, if not just
   * before then soon.
   */
  private boolean isSpoiled(RailPath path, long nowNs) {
    if (!path.link().isLossless()) {
      path.health().trust();
      return false;
    }
    long sinceNs = Math.max(path.health().stateSinceNs(), path.link().attachedNs());
    long urgentNs = paths.anotherUsable(path) ? Long.MAX_VALUE : config.peerTimeoutNs();
    long renewNs = Math.min(RENEW_NS, urgentNs / RENEWS_PER_TIMEOUT);
    long silentNs =
        switch (path.state()) {
          case DOWN, SUSPECT -> renewNs;
          case UNVALIDATED -> RENEW_UNVALIDATED * renewNs; // its first record may be spoiled, too
          case ACTIVE, PROBING, REMOVED -> Long.MAX_VALUE;
        };
    if (paths.heardNs() - sinceNs < silentNs) {
      path.health().trust();
      return false;
    }
    long graceNs = Math.min(RENEW_GRACE_NS, urgentNs / RENEW_GRACES_PER_TIMEOUT);
    return nowNs - path.health().doubt(nowNs) >= graceNs;
  }

  private void probe(RailPath path, long nowNs) {
    Probing probing = path.probing();
    if (!probing.isProbeDue(nowNs)) {
      return;
    }
    if (!probing.hasTurn()) {
      budget.reserve(path, unvalidatedProbes, nowNs);
    }
    if (nowNs < probing.turnNs()) {
      return;
    }
    if (path.state() == RailState.SUSPECT) {
      askOthers();
    }
    probing.onProbe(nowNs - path.health().stateSinceNs() > LONG_OUTAGE_NS, nowNs);
  }

  /**
   * Opens a rail anew in place of one that is gone: the initiator does, the other side waits for
   * it.
   */
  private void reconnect(RailPath path, boolean initiator, long nowNs) {
    RailAddress remote = path.link().remote();
    if (nowNs < path.link().nextConnectNs() || remote == null) {
      return;
    }
    path.link().onConnect(path.health().wasActive(), nowNs);
    RailPort port = ports.port(path.link().portIndex());
    if (port == null || (!initiator && port.attributes().lossless())) {
      return;
    }
    try {
      path.attach(ports.connect(port, remote), 0, nowNs);
      path.probing().probeNow(nowNs);
      listener.activate();
    } catch (RailException e) {
      listener.problem(String.valueOf(e.getMessage()));
    }
  }

  /** When {@link #onTimers} has to run at the latest, but for {@link PacketTimers#deadlineNs}. */
  public long deadlineNs(boolean initiator) {
    long deadline = Math.min(seekNs(initiator), paths.heardNs() + config.peerTimeoutNs());
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      if (path == null || path.state() == RailState.REMOVED) {
        continue;
      }
      if (path.link().rail() == null) {
        if (path.link().remote() != null) {
          deadline = Math.min(deadline, path.link().nextConnectNs());
        }
      } else if (path.state() == RailState.ACTIVE) {
        deadline = Math.min(deadline, path.timers().elicitingSentNs() + keepAliveNs(path));
      } else {
        deadline = Math.min(deadline, path.probing().nextProbeNs());
        long probeNs = path.probing().proofProbeNs();
        if (probeNs != Long.MAX_VALUE) {
          deadline = Math.min(deadline, probeNs + verdictNs(path));
        }
      }
    }
    return deadline;
  }
}
