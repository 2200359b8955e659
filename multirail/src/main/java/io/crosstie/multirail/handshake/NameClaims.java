// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.event.RailState;
import io.crosstie.multirail.path.RailPath;
import io.crosstie.reliability.wire.PacketHeader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which process may bear a peer's name: the one that lives (R33).
 *
 * <p>A handshake under the name of a peer that is up proves nothing about that peer. So the process
 * at the other end of the connection is challenged over all its rails, three times within a second.
 * Whatever it answers to what was sent since then, a challenge or any other packet, proves that it
 * lives, and the newcomer is rejected; if nothing comes the newcomer is let in the next time that
 * it asks. It is over sooner if no rail is left, or each says that nobody listens there any more;
 * and at once by a RESET, with which a process says that it does not know the connection.
 *
 * <p>Incarnations that were superseded are remembered, so that they are told when they wake.
 */
public final class NameClaims {
  /** So long the process that has the name may take to answer. */
  public static final long CHALLENGE_NS = 1_000_000_000L;

  private static final int TRIES = 3;

  /** A newcomer that was rejected, and all others, are rejected without another challenge. */
  static final long SETTLED_NS = 500_000_000L;

  /** No newcomer asked for so long: whoever it was has gone. */
  private static final long FORGOTTEN_NS = 3_000_000_000L;

  private static final int NAMES = 64;
  private static final int INCARNATIONS_PER_NAME = 8;
  private static final int SUPERSEDED = 64;

  /** What to do with a newcomer. */
  enum Verdict {
    /** Nothing is known yet: it asks again. */
    OPEN,
    /** The name's bearer lives. */
    TAKEN,
    /** The bearer gives no sign of life. */
    FREE
  }

  /** Asks the process at the other end of a connection whether it lives. */
  private static final class Challenge {
    final Connection bearer;
    final long sinceNs;
    long askedNs;
    int tries;
    boolean settled;
    long settledNs;

    Challenge(Connection bearer, long nowNs) {
      this.bearer = bearer;
      this.sinceNs = nowNs;
    }

    /** Tries are spread evenly, and the last one has as much time as the others. */
    long nextTryNs() {
      return tries < TRIES && !settled ? sinceNs + tries * (CHALLENGE_NS / TRIES) : Long.MAX_VALUE;
    }

    long endNs() {
      return settled ? settledNs + SETTLED_NS : askedNs + FORGOTTEN_NS;
    }

    void ask() {
      for (int i = 0; i < bearer.paths.count(); i++) {
        RailPath path = bearer.paths.get(i);
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
      bearer.control.news();
      bearer.endpoint.activate(bearer);
    }

    boolean isAnswered() {
      for (int i = 0; i < bearer.paths.count(); i++) {
        RailPath path = bearer.paths.get(i);
        // The position of a lossless rail tells that somebody reads there, perhaps the newcomer.
        if (path != null
            && (path.probing().answeredNs() > sinceNs
                || (!path.link().isLossless() && path.health().provenNs() > sinceNs))) {
          return true;
        }
      }
      return false;
    }

    /** No rail is left that could bring an answer, by what the links say. */
    boolean isBeyondReach() {
      for (int i = 0; i < bearer.paths.count(); i++) {
        RailPath path = bearer.paths.get(i);
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

  /**
   * A connection to a process that was superseded.
   *
   * @param peerId the id under which that process knows it
   */
  record Superseded(String name, long incarnation, long peerId) {}

  private final ArrayList<Challenge> challenges = new ArrayList<>();
  private final Map<String, ArrayDeque<Long>> past = bounded(NAMES);
  private final Map<Long, Superseded> superseded = bounded(SUPERSEDED);

  private static <K, V> Map<K, V> bounded(int most) {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1L;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > most;
      }
    };
  }

  // ---- the living ----

  /** Somebody with a good cookie comes under the name of the peer of a connection that is up. */
  Verdict judge(Connection bearer, long nowNs) {
    Challenge challenge = of(bearer);
    if (challenge == null) {
      challenge = new Challenge(bearer, nowNs);
      challenges.add(challenge);
      challenge.ask();
    }
    challenge.askedNs = nowNs;
    if (challenge.settled || challenge.isAnswered()) {
      settle(challenge, nowNs);
      return Verdict.TAKEN;
    }
    boolean silent = nowNs - challenge.sinceNs >= CHALLENGE_NS;
    return silent || challenge.isBeyondReach() ? Verdict.FREE : Verdict.OPEN;
  }

  private static void settle(Challenge challenge, long nowNs) {
    if (!challenge.settled) {
      challenge.settled = true;
      challenge.settledNs = nowNs;
    }
  }

  @SuppressWarnings("ReferenceEquality") // a connection is a state machine, not a value
  private @Nullable Challenge of(Connection bearer) {
    for (int i = 0; i < challenges.size(); i++) {
      if (challenges.get(i).bearer == bearer) {
        return challenges.get(i);
      }
    }
    return null;
  }

  void onTimers(long nowNs) {
    for (int i = challenges.size() - 1; i >= 0; i--) {
      Challenge challenge = challenges.get(i);
      if (challenge.bearer.state().isOver() || nowNs >= challenge.endNs()) {
        Challenge unused = challenges.remove(i);
      } else if (nowNs >= challenge.nextTryNs()) {
        if (challenge.isAnswered()) {
          settle(challenge, nowNs);
        } else {
          challenge.ask();
        }
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

  // ---- the superseded ----

  /** The peer of a connection that is over was superseded by another process of its name. */
  void supersede(Connection c) {
    ArrayDeque<Long> list = past.computeIfAbsent(c.peerName(), n -> new ArrayDeque<>());
    if (!list.contains(c.peerIncarnation())) {
      if (list.size() >= INCARNATIONS_PER_NAME) {
        list.removeFirst();
      }
      list.addLast(c.peerIncarnation());
    }
    superseded.put(c.localId, new Superseded(c.peerName(), c.peerIncarnation(), c.remoteId));
  }

  boolean isSuperseded(String name, long incarnation) {
    ArrayDeque<Long> list = past.get(name);
    return list != null && list.contains(incarnation);
  }

  /** Who still sends to the connection that had this id here; null if that is not known. */
  @Nullable Superseded byId(byte[] packet) {
    return superseded.get(PacketHeader.connectionId(packet, 0));
  }
}
