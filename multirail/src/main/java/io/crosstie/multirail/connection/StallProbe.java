// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.Paths;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.Recovery;
import io.crosstie.reliability.channel.ChannelEngine;
import io.crosstie.reliability.channel.ChannelSender;
import io.crosstie.reliability.loss.RetransmitQueue;
import io.crosstie.reliability.time.StallTimer;
import io.crosstie.transport.Counters;

/**
 * The safety net below all loss detection (R12): a channel's data is missing at the peer, or its
 * credit here, and nothing of it is under way that would bring news. Then its oldest message is
 * sent again, or its window probed, with back-off, for ever; once that is accepted, what else may
 * be missing follows ({@link ChannelSender#takeMissed}). Each channel by itself: a peer that was
 * short of memory, or whose application polls no notifications, has refused what a lossless rail
 * has delivered, and others get on meanwhile.
 */
final class StallProbe {
  private final ChannelTable channels;
  private final Paths paths;
  private final RetransmitQueue retransmit;
  private final Recovery recovery;
  private final Counters<ConnectionCounter> counters;
  private final boolean resends;

  /** When some channel may be overdue; Long.MAX_VALUE if none waits for anything. */
  private long dueNs = Long.MAX_VALUE;

  /** Numbers the times that it was looked what is under way. */
  private long looks;

  /**
   * For one connection.
   *
   * @param resends whether messages are sent again; not so with a planted fault
   */
  StallProbe(
      ChannelTable channels,
      Paths paths,
      RetransmitQueue retransmit,
      Recovery recovery,
      Counters<ConnectionCounter> counters,
      boolean resends) {
    this.channels = channels;
    this.paths = paths;
    this.retransmit = retransmit;
    this.recovery = recovery;
    this.counters = counters;
    this.resends = resends;
  }

  /** Something was sent, or could not be: soon it is seen whether anything is missing. */
  void expect(long nowNs) {
    dueNs = Math.min(dueNs, nowNs + StallTimer.FLOOR_NS);
  }

  /** When {@link #onTimer} has something to do; Long.MAX_VALUE if that is not known. */
  long deadlineNs() {
    return dueNs;
  }

  /** Probes for what is overdue. */
  void onTimer(long nowNs) {
    if (dueNs != Long.MAX_VALUE && nowNs < dueNs) {
      return;
    }
    boolean anyOverdue = false;
    long nextNs = Long.MAX_VALUE;
    for (int i = 0; i < channels.engines().size(); i++) {
      ChannelEngine engine = channels.engines().get(i);
      if (waits(engine)) {
        anyOverdue |= isOverdue(engine, nowNs);
        nextNs = Math.min(nextNs, engine.stallTimer().dueNs());
      }
    }
    dueNs = nextNs == Long.MAX_VALUE ? nextNs : Math.max(nextNs, nowNs + StallTimer.FLOOR_NS);
    if (anyOverdue) {
      probeOverdue(nowNs);
    }
  }

  private static boolean waits(ChannelEngine engine) {
    return engine.sender().hasUnaccepted()
        || engine.sender().sendState() >= ChannelSender.NEEDS_CREDIT
        || engine.sender().isFinUnconfirmed();
  }

  private static boolean isOverdue(ChannelEngine engine, long nowNs) {
    long progress = engine.sender().firstUnaccepted() + engine.sender().creditLimit();
    return engine.stallTimer().isOverdue(progress, nowNs);
  }

  /** Whoever is overdue, and has nothing under way. */
  private void probeOverdue(long nowNs) {
    looks++;
    noteUnderWay();
    boolean any = false;
    for (int i = 0; i < channels.engines().size(); i++) {
      ChannelEngine engine = channels.engines().get(i);
      if (waits(engine) && isOverdue(engine, nowNs) && engine.stallTimer().isDue(looks, nowNs)) {
        any = true;
        probe(engine);
      }
    }
    if (any) {
      counters.increment(ConnectionCounter.STALL_PROBES);
    }
  }

  /** Marks the channels that loss detection is at work for. */
  private void noteUnderWay() {
    boolean anyActive = paths.anyUsable();
    for (int i = 0; i < paths.count(); i++) {
      RailPath path = paths.get(i);
      // What is outstanding on a dead rail beside a live one are probes, without end.
      if (path != null && (path.state() == RailState.ACTIVE || !anyActive)) {
        path.sent().noteOutstanding(looks);
      }
    }
    retransmit.noteQueued(looks);
  }

  private void probe(ChannelEngine engine) {
    boolean mayLeave =
        engine.sender().hasUnaccepted()
            && engine.sender().mayGoAgain(engine.sender().firstUnaccepted());
    if (mayLeave && resends && recovery.reinjects()) {
      engine.sender().onStall();
      if (!recovery.resendMessage(engine, engine.sender().firstUnaccepted())) {
        channels.look(engine);
      }
    } else if ((engine.sender().hasUnaccepted() && !mayLeave)
        || engine.sender().sendState() >= ChannelSender.NEEDS_CREDIT) {
      engine.sender().retransmitRts();
      channels.look(engine);
    }
    if (engine.sender().isFinUnconfirmed()) {
      engine.sender().finSent(false);
      channels.look(engine);
    }
  }
}
