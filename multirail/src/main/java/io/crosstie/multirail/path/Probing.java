// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.path;

import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * What the two ends of a rail ask and answer each other: challenges and their answers, pings, and
 * what each says of its end; what of it is due, and when the next probe is. Effective time.
 */
public final class Probing {
  private static final long FIRST_PROBE_NS = 5_000_000L;
  private static final long MAX_PROBE_NS = 10_000_000L;
  private static final long LONG_OUTAGE_PROBE_NS = 250_000_000L;

  private boolean challengeDue;
  private boolean challengeOpen;
  private boolean challengeRepeated;
  private long challengeToken;
  private long challengeSentNs;
  private long answeredNs = PathHealth.NEVER_NS;
  private int answers;
  private long firstAnswerNs;
  private boolean responseDue;
  private long responseToken;
  private boolean pingDue;
  private boolean infoDue = true;
  private long nextProbeNs;
  private long intervalNs;
  private long proofProbeNs = Long.MAX_VALUE;
  private long turnNs = PathHealth.NEVER_NS;
  private @Nullable RateLimiter limiter;
  private @Nullable RateLimiter unprovenLimiter;

  Probing() {}

  // ---- what is due ----

  /** Whether a challenge, an answer to one or a ping is to be sent. */
  public boolean isDue() {
    return challengeDue || responseDue || pingDue;
  }

  /** Whether a challenge is to be sent. */
  public boolean isChallengeDue() {
    return challengeDue;
  }

  /** A challenge leaves next: with a new token, unless one is open. */
  public void challengeNow() {
    challengeDue = true;
  }

  /** A challenge leaves next that only what leaves from now on can answer. */
  public void challengeAnew() {
    challengeOpen = false;
    challengeDue = true;
  }

  /**
   * The challenge that is due leaves now, with what this end says of itself.
   *
   * @return its token; that of the open one if there is one, for its answer may be slower than the
   *     probes
   */
  public long takeChallenge(RandomGenerator random, long nowNs) {
    challengeDue = false;
    challengeRepeated = challengeOpen;
    if (!challengeOpen) {
      challengeOpen = true;
      challengeToken = random.nextLong();
      challengeSentNs = nowNs;
    }
    infoDue = true;
    return challengeToken;
  }

  /** Whether a challenge is not answered yet. */
  public boolean isChallengeOpen() {
    return challengeOpen;
  }

  /** No answer is waited for any more. */
  void closeChallenge() {
    challengeOpen = false;
  }

  /**
   * An answer came.
   *
   * @return whether it is to the open challenge, which is closed then
   */
  boolean onResponse(long token, long nowNs) {
    if (!challengeOpen || token != challengeToken) {
      return false;
    }
    challengeOpen = false;
    answeredNs = nowNs;
    return true;
  }

  /** When a challenge was last answered. */
  public long answeredNs() {
    return answeredNs;
  }

  /** When the challenge that was answered last had left first. */
  long challengeSentNs() {
    return challengeSentNs;
  }

  /** Whether it had left more than once, so that nobody knows which was answered. */
  boolean wasRepeated() {
    return challengeRepeated;
  }

  /** The peer's challenge is to be answered. */
  public void onChallenge(long token) {
    responseDue = true;
    responseToken = token;
  }

  /** Whether an answer is to be sent. */
  public boolean isResponseDue() {
    return responseDue;
  }

  /** The answer leaves now; its token. */
  public long takeResponse() {
    responseDue = false;
    return responseToken;
  }

  /** The answer has not left after all. */
  public void respondAgain() {
    responseDue = true;
  }

  /** Whether something is to be sent that the peer answers. */
  public boolean isPingDue() {
    return pingDue;
  }

  /** Something is to be sent that the peer answers. */
  void pingNow() {
    pingDue = true;
  }

  /** Something left that the peer answers. */
  public void onElicitingSent() {
    pingDue = false;
  }

  /** Whether the peer is to be told of this end; that rides with whatever leaves next. */
  public boolean isInfoDue() {
    return infoDue;
  }

  /** The peer is to be told of this end. */
  public void infoNow() {
    infoDue = true;
  }

  /** What there is to say of this end leaves now. */
  public void takeInfo() {
    infoDue = false;
  }

  // ---- probes while the rail is not in use ----

  /** The next probe is due, as far as time goes. */
  public void probeNow(long nowNs) {
    nextProbeNs = nowNs;
  }

  /** Probes begin anew, the first of them so soon. */
  void beginProbes(boolean atOnce, long nowNs) {
    intervalNs = FIRST_PROBE_NS;
    nextProbeNs = atOnce ? nowNs : nowNs + FIRST_PROBE_NS;
  }

  /** The next probe follows an answer. */
  void probeAfterAnswer(long nowNs) {
    nextProbeNs = nowNs + FIRST_PROBE_NS;
  }

  /** Whether the next probe is due, as far as time goes. */
  boolean isProbeDue(long nowNs) {
    return nowNs >= nextProbeNs;
  }

  /** When the next probe is due, and the budget lets it leave. */
  long nextProbeNs() {
    return Math.max(nextProbeNs, turnNs);
  }

  /** A probe leaves; the next follows after twice the time, within bounds. */
  void onProbe(boolean longOutage, long nowNs) {
    spent();
    challengeDue = true;
    long limit = longOutage ? LONG_OUTAGE_PROBE_NS : MAX_PROBE_NS;
    intervalNs = Math.min(limit, Math.max(FIRST_PROBE_NS, intervalNs * 2));
    nextProbeNs = nowNs + intervalNs;
  }

  /** The rail is of no use now. */
  void onDown(long nowNs) {
    answers = 0;
    challengeOpen = false;
    proofProbeNs = Long.MAX_VALUE;
    beginProbes(false, nowNs);
  }

  /** The rail was added again; what the peer asked is still to be answered. */
  void begin(long nowNs) {
    challengeDue = false;
    pingDue = false;
    answers = 0;
    challengeOpen = false;
    proofProbeNs = Long.MAX_VALUE;
    beginProbes(true, nowNs);
  }

  /** A probe was answered. */
  void onProbeAnswered(long nowNs) {
    if (answers == 0) {
      firstAnswerNs = nowNs;
    }
    answers++;
  }

  /** Whether so many were answered, over so long a time. */
  boolean isProven(int number, long overNs, long nowNs) {
    return answers >= number && nowNs - firstAnswerNs >= overNs;
  }

  /** The peer was proved alive elsewhere: a probe leaves now whose answer decides. */
  void askForProof(long nowNs) {
    proofProbeNs = nowNs;
    nextProbeNs = nowNs;
  }

  /** When a probe left after the peer was proved alive elsewhere; Long.MAX_VALUE if none has. */
  long proofProbeNs() {
    return proofProbeNs;
  }

  /** Nothing depends on such a probe. */
  void forgetProof() {
    proofProbeNs = Long.MAX_VALUE;
  }

  // ---- its place in the budget ----

  /** Whether a probe was set aside. */
  boolean hasTurn() {
    return turnNs != PathHealth.NEVER_NS;
  }

  /** When the budget lets the next probe leave; {@link PathHealth#NEVER_NS} if it was not asked. */
  long turnNs() {
    return turnNs;
  }

  /**
   * Sets a probe aside.
   *
   * @param ofHost out of which it is as well, since nobody may be there
   */
  void setAside(RateLimiter one, @Nullable RateLimiter ofHost, long nowNs) {
    long at = one.reserve(nowNs);
    turnNs = ofHost == null ? at : Math.max(at, ofHost.reserve(nowNs));
    limiter = one;
    unprovenLimiter = ofHost;
  }

  /** The probe that was set aside leaves. */
  private void spent() {
    turnNs = PathHealth.NEVER_NS;
    limiter = null;
    unprovenLimiter = null;
  }

  /** The probe that was set aside, if there is one, is not needed any more. */
  public void giveBack() {
    if (limiter != null) {
      limiter.giveBack();
    }
    if (unprovenLimiter != null) {
      unprovenLimiter.giveBack();
    }
    spent();
  }
}
