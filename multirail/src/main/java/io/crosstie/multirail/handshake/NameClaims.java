// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.EventSink;
import io.crosstie.multirail.event.NodeEvent;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.multirail.path.RateLimiter;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.RailPort;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/**
 * Which process may have a peer's name: the one that answers (R33).
 *
 * <p>A handshake under the name of a peer that is up proves nothing about that peer. So the process
 * at the other end of the connection, the holder, is challenged over all its rails, three times
 * within a second. Whatever it answers to what was sent since then, a challenge or any other
 * packet, proves that it runs, and the claimant is rejected; if nothing comes the claimant is
 * accepted the next time that it asks. It is over sooner if no rail is left, or each says that
 * nobody listens there any more; and at once by a RESET, with which a process says that it does not
 * know the connection.
 */
public final class NameClaims {
  /** So long the holder of a name may take to answer. */
  public static final long CHALLENGE_NS = 1_000_000_000L;

  private static final int TRIES = 3;

  /** Once a claimant was rejected, it and others are for so long without another challenge. */
  private static final long SETTLED_NS = 500_000_000L;

  /** No claimant asked for so long: whoever it was has gone. */
  private static final long ABANDONED_NS = 3_000_000_000L;

  /** Asks the process at the other end of a connection whether it runs. */
  private static final class Challenge {
    final Connection holder;
    final long sinceNs;
    private long claimedNs;
    private int tries;
    private boolean settled;
    private long settledNs;

    Challenge(Connection holder, long nowNs) {
      this.holder = holder;
      this.sinceNs = nowNs;
    }

    void onClaim(long nowNs) {
      claimedNs = nowNs;
    }

    /** Tries are spread evenly, and the last one has as much time as the others. */
    long nextTryNs() {
      return tries < TRIES && !settled ? sinceNs + tries * (CHALLENGE_NS / TRIES) : Long.MAX_VALUE;
    }

    long endNs() {
      return settled ? settledNs + SETTLED_NS : claimedNs + ABANDONED_NS;
    }

    /** Has the holder challenged over all its rails with the next packets that leave. */
    void transmit() {
      for (int i = 0; i < holder.pathCount(); i++) {
        RailPath path = holder.path(i);
        if (path != null && path.state() != RailState.REMOVED && path.isOpen()) {
          // An answer to what was asked before proves nothing; repeats keep the token.
          if (tries == 0) {
            path.probing().challengeAnew();
          } else {
            path.probing().challengeNow();
          }
        }
      }
      tries++;
    }

    /** Whether the holder has answered, which settles it for a while. */
    boolean settle(long nowNs) {
      if (!settled && isAnswered()) {
        settled = true;
        settledNs = nowNs;
      }
      return settled;
    }

    private boolean isAnswered() {
      for (int i = 0; i < holder.pathCount(); i++) {
        RailPath path = holder.path(i);
        // The position of a lossless rail tells that somebody reads there, perhaps the claimant.
        if (path != null
            && (path.probing().answeredNs() > sinceNs
                || (!path.link().isLossless() && path.health().provenNs() > sinceNs))) {
          return true;
        }
      }
      return false;
    }

    /** No rail is left that could bring an answer, by what the links say. */
    boolean isUnreachable() {
      for (int i = 0; i < holder.pathCount(); i++) {
        RailPath path = holder.path(i);
        if (path != null
            && path.state() != RailState.REMOVED
            && path.isOpen()
            && (tries < 2 || path.health().refusedNs() <= sinceNs)) {
          return false;
        }
      }
      return true;
    }
  }

  private final HandshakePackets packets;
  private final EventSink events;
  private final ArrayList<Challenge> challenges = new ArrayList<>();

  /** The claimant that the application was told of last. */
  private long lastRejectedIncarnation;

  private final RateLimiter rejectionEvents = new RateLimiter(8, 1);

  NameClaims(HandshakePackets packets, EventSink events) {
    this.packets = packets;
    this.events = events;
  }

  /**
   * Somebody with a good cookie comes under the name of the peer of a connection that is up.
   *
   * @return whether the claimant may have the name; if not it was rejected, or nothing is known yet
   */
  boolean isFree(Connection holder, RailPort port, Introduction claimant, long nowNs) {
    Challenge challenge = of(holder);
    if (challenge == null) {
      challenge = new Challenge(holder, nowNs);
      challenges.add(challenge);
      transmit(challenge);
    }
    challenge.onClaim(nowNs);
    if (challenge.settle(nowNs)) {
      reject(port, claimant, nowNs);
      return false;
    }
    return nowNs - challenge.sinceNs >= CHALLENGE_NS || challenge.isUnreachable();
  }

  /** Both sides' people are told: two processes with one name are a mistake of theirs. */
  private void reject(RailPort port, Introduction claimant, long nowNs) {
    String text =
        "another process already runs as \""
            + claimant.name()
            + "\" and answers; give each process a name of its own, or end that one first";
    packets.reject(port, claimant.connectionId(), Reject.NAME_TAKEN, claimant.incarnation(), text);
    if (claimant.incarnation() != lastRejectedIncarnation && rejectionEvents.take(nowNs)) {
      lastRejectedIncarnation = claimant.incarnation();
      events.onEvent(
          new NodeEvent.NewcomerRejected(
              claimant.name(), port.sourceAddress().text(), claimant.incarnation(), text));
    }
  }

  private void transmit(Challenge challenge) {
    challenge.transmit();
    challenge.holder.activate();
  }

  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private @Nullable Challenge of(Connection holder) {
    for (int i = 0; i < challenges.size(); i++) {
      if (challenges.get(i).holder == holder) {
        return challenges.get(i);
      }
    }
    return null;
  }

  void onTimers(long nowNs) {
    for (int i = challenges.size() - 1; i >= 0; i--) {
      Challenge challenge = challenges.get(i);
      if (challenge.holder.state().isOver() || nowNs >= challenge.endNs()) {
        Challenge unused = challenges.remove(i);
      } else if (nowNs >= challenge.nextTryNs() && !challenge.settle(nowNs)) {
        transmit(challenge);
      }
    }
  }

  long deadlineNs() {
    long deadline = Long.MAX_VALUE;
    for (int i = 0; i < challenges.size(); i++) {
      Challenge challenge = challenges.get(i);
      deadline = Math.min(deadline, Math.min(challenge.nextTryNs(), challenge.endNs()));
    }
    return deadline;
  }
}
