// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
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
 * the peer is heard, is opened anew after a second of that. It is taken back after a number of
 * answers over a time that doubles with each relapse within a second of its return; at once if no
 * other rail works. Time here is the endpoint's effective time, in which pauses of this process do
 * not count.
 */
public final class RailHealth {
  private static final long LONG_OUTAGE_NS = 20_000_000_000L;
  private static final long MAX_PENALTY_NS = 5_000_000_000L;

  /** Without any news for so long, and again as often, the addresses of the beginning are tried. */
  private static final long SEEK_NS = 500_000_000L;

  /** A lossless rail is pinged so much less often. */
  private static final int LOSSLESS_KEEP_ALIVES = 4;

  private static final int KEEP_ALIVES_PER_TIMEOUT = 4;

  /** A lossless rail through which nothing comes for so long is opened anew. */
  private static final long RENEW_NS = 1_000_000_000L;

  /** The same for one that has never answered: the peer may still be about to map it. */
  private static final long RENEW_UNVALIDATED_NS = 3 * RENEW_NS;

  /** So long the peer has, once it is heard, to take what lies there. */
  private static final long RENEW_GRACE_NS = 100_000_000L;

  private final Connection connection;
  private final RateLimiter unvalidatedProbes = ProbeBudget.ofPeer();
  private long nextSeekNs;

  /** Some rail is pinged now. */
  private boolean pings;

  public RailHealth(Connection connection) {
    this.connection = connection;
  }

  private void change(RailPath path, RailState to, String cause, long gapNs, long nowNs) {
    RailState from = path.state();
    if (from == to) {
      return;
    }
    path.health().enter(to, nowNs);
    path.probing().giveBack();
    connection.endpoint.activate(connection); // what is due, and when, is another matter now
    connection.refreshRails();
    connection.endpoint.listener.onEvent(
        new NodeEvent.RailChanged(
            connection.peerName(), path.id(), path.link().name(), from, to, cause, gapNs));
  }

  /** A packet sent on this rail was acknowledged. */
  public void onProgress(RailPath path, long nowNs) {
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
      connection.endpoint.probes.onAnswer(path.link().remote());
    }
    if (from != RailState.SUSPECT) {
      path.startAnew(from != RailState.UNVALIDATED, nowNs);
    }
    change(path, RailState.ACTIVE, cause, from == RailState.UNVALIDATED ? 0 : away, nowNs);
    if (connection.endpoint.reinjection) {
      // What hangs on rails that are still silent can leave here now.
      for (int i = 0; i < connection.paths.count(); i++) {
        RailPath other = connection.paths.get(i);
        if (other != null && other.state() == RailState.SUSPECT) {
          connection.recovery.reinject(other, RailCounter.REINJECTED);
        }
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
  public void suspect(RailPath path, String cause, long nowNs) {
    if (path.state() != RailState.ACTIVE) {
      return;
    }
    change(path, RailState.SUSPECT, cause, nowNs - path.health().progressNs(), nowNs);
    path.probing().beginProbes(true, nowNs);
    path.probing().forgetProof();
    if (connection.paths.anyUsable()) {
      if (connection.endpoint.reinjection) {
        connection.recovery.reinject(path, RailCounter.REINJECTED);
      }
      askOthers();
    }
  }

  /**
   * The link says that there is no way: no reason to wait for the timeout, but none to give the
   * rail up, either (R22).
   */
  public void onUnreachable(RailPath path, long nowNs) {
    path.health().onUnreachable(nowNs);
    if (connection.paths.anotherUsable(path)) {
      suspect(path, "the link says that there is no way", nowNs);
    }
  }

  /** Idle rails are asked as well, so that it shows soon whether the rail or the peer is silent. */
  private void askOthers() {
    for (int i = 0; i < connection.paths.count(); i++) {
      RailPath other = connection.paths.get(i);
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
    connection.endpoint.close(rail);
    path.counters().increment(RailCounter.RESTARTS);
    boolean wasOfUse = path.state() == RailState.ACTIVE || path.state() == RailState.SUSPECT;
    down(path, cause, nowNs);
    path.link().connectAfterLoss(wasOfUse, nowNs);
  }

  private void down(RailPath path, String cause, long nowNs) {
    if (path.state() == RailState.DOWN || path.state() == RailState.REMOVED) {
      connection.recovery.discardAll(path, nowNs);
      return;
    }
    boolean wasActive = path.state() == RailState.ACTIVE || path.state() == RailState.SUSPECT;
    if (wasActive) {
      path.health().onLost(nowNs);
    }
    path.probing().onDown(nowNs);
    change(path, RailState.DOWN, cause, path.health().lostForNs(nowNs), nowNs);
    connection.recovery.discardAll(path, nowNs);
  }

  /** The rail is taken out for good. */
  public void remove(RailPath path, long nowNs) {
    if (path.state() == RailState.REMOVED) {
      return;
    }
    change(path, RailState.REMOVED, "removed", 0, nowNs);
    connection.recovery.discardAll(path, nowNs);
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
      long sample = connection.endpoint.freshNs() - sentNs;
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
    EndpointConfig config = connection.config;
    long needed = Math.min(MAX_PENALTY_NS, config.recoverNs() << path.health().relapses());
    if (!connection.paths.anyUsable()
        || path.probing().isProven(config.probesToRecover(), needed, nowNs)) {
      activate(path, "recovered", nowNs);
    }
  }

  /**
   * Judges the rails and has them probed; runs after everything that arrived was handled (R19).
   *
   * @return whether it is time to look for rails by the addresses that the connection was begun
   *     with, since none brings news
   */
  public boolean onTimers(long nowNs) {
    if (nowNs - connection.heardNs >= connection.config.peerTimeoutNs()) {
      connection.onLost(
          "nothing heard for "
              + (nowNs - connection.heardNs) / 1_000_000
              + " ms on any of "
              + connection.rails().size()
              + " rails",
          nowNs);
      return false;
    }
    pings = isAnyPingDue(nowNs);
    for (int i = 0; i < connection.paths.count(); i++) {
      RailPath path = connection.paths.get(i);
      if (path != null && path.state() != RailState.REMOVED) {
        judge(path, nowNs);
      }
    }
    boolean seek = nowNs >= seekNs();
    if (seek) {
      nextSeekNs = nowNs + SEEK_NS;
    }
    return seek;
  }

  private long seekNs() {
    return connection.initiator && !connection.paths.anyUsable()
        ? Math.max(nextSeekNs, connection.heardNs + SEEK_NS)
        : Long.MAX_VALUE;
  }

  /**
   * How long an idle rail is left alone. The end of a lossless one shows by itself, and it loses
   * nothing: what a ping finds out there is only that the whole peer is silent, and that is judged
   * by the much longer peer time-out.
   */
  private long keepAliveNs(RailPath path) {
    EndpointConfig config = connection.config;
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
    for (int i = 0; i < connection.paths.count(); i++) {
      RailPath path = connection.paths.get(i);
      if (path != null
          && path.state() == RailState.ACTIVE
          && nowNs - path.timers().elicitingSentNs() >= keepAliveNs(path)) {
        return true;
      }
    }
    return false;
  }

  private void judge(RailPath path, long nowNs) {
    Rail rail = path.link().rail();
    if (rail == null) {
      reconnect(path, nowNs);
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
      return connection.config.downNs();
    }
    long roundTrip = path.responseNs(connection.peerAckDelayNs);
    return Math.max(connection.config.downNs(), 2 * roundTrip);
  }

  /**
   * Blames a silent rail only if the peer answered elsewhere what was sent after the rail fell
   * silent, a probe that left after that proof stayed unanswered, and the peer went on answering
   * what was sent later than that. (What merely arrives may have left before the peer stopped.)
   */
  private void judgeSuspect(RailPath path, long nowNs) {
    long provenNs = connection.paths.provenElsewhereNs(path);
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
    long sinceNs = Math.max(path.health().stateSinceNs(), path.link().attachedNs());
    long silentNs =
        switch (path.state()) {
          case DOWN, SUSPECT -> RENEW_NS;
          case UNVALIDATED -> RENEW_UNVALIDATED_NS; // also its first record can be written over
          case ACTIVE, PROBING, REMOVED -> Long.MAX_VALUE;
        };
    if (!path.link().isLossless() || connection.heardNs - sinceNs < silentNs) {
      path.health().trust();
      return false;
    }
    return nowNs - path.health().doubt(nowNs) >= RENEW_GRACE_NS;
  }

  private void probe(RailPath path, long nowNs) {
    Probing probing = path.probing();
    if (!probing.isProbeDue(nowNs)) {
      return;
    }
    if (!probing.hasTurn()) {
      connection.endpoint.probes.reserve(path, unvalidatedProbes, nowNs);
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
  private void reconnect(RailPath path, long nowNs) {
    RailAddress remote = path.link().remote();
    if (nowNs < path.link().nextConnectNs() || remote == null) {
      return;
    }
    path.link().onConnect(path.health().wasActive(), nowNs);
    RailPort port = connection.endpoint.port(path.link().portIndex());
    if (port == null || (!connection.initiator && port.attributes().lossless())) {
      return;
    }
    try {
      path.attach(connection.endpoint.connect(port, remote), 0, nowNs);
      path.probing().probeNow(nowNs);
      connection.endpoint.activate(connection);
    } catch (RailException e) {
      connection.problem(String.valueOf(e.getMessage()));
    }
  }

  /** When {@link #onTimers} has to run at the latest. */
  public long deadlineNs(long nowNs) {
    long deadline = Math.min(seekNs(), connection.heardNs + connection.config.peerTimeoutNs());
    for (int i = 0; i < connection.paths.count(); i++) {
      RailPath path = connection.paths.get(i);
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
