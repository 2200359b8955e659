// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import io.crosstie.ranks.match.Posted;
import java.util.HashSet;
import java.util.Set;

/**
 * What came from one rank by one channel, and how much of it receives have taken: the receiver's
 * half of the bound on unexpected messages. The sender has sent at most as many as it was told were
 * taken, and the bound.
 */
final class Inflow {
  private final Limits limits;
  private long arrived;
  private long arrivedBytes;
  private long taken;
  private long takenBytes;
  private long told;
  private long toldBytes;

  /** Patterns that the sender was asked for, and has not answered. */
  private final Set<Long> asked = new HashSet<>();

  /** More was to be asked for than can be at a time. */
  private boolean asksLeft;

  Inflow(Limits limits) {
    this.limits = limits;
  }

  /**
   * Whether the sender keeps to the bound, and so this message may be taken.
   *
   * @param bytes that come with it
   * @param answers an envelope's, of {@link Envelope#ANSWERS_ANY}
   */
  boolean accepts(int context, long bytes, int answers) {
    boolean inBound =
        arrived - told < limits.unexpectedMessages()
            || ((answers & Envelope.ANSWERS_ANY) != 0
                && asked.contains(pattern(context, Posted.ANY)));
    return inBound
        && bytes <= limits.eagerBytes()
        && arrivedBytes - toldBytes + bytes <= limits.unexpectedBytes();
  }

  /** Whether it was asked for that, and has not answered. */
  boolean hasAsked(int context, int tag) {
    return asked.contains(pattern(context, tag));
  }

  void onArrival(long bytes) {
    arrived++;
    arrivedBytes += bytes;
  }

  /** A receive has taken a message. */
  void onTaken(long chargedBytes) {
    taken++;
    takenBytes += chargedBytes;
  }

  /** Whether the sender may hold messages back, as far as is known here. */
  boolean isAtBound() {
    return arrived - told >= limits.unexpectedMessages();
  }

  /**
   * Whether it has just come to it, and what is due to be told will not change that: who waits asks
   * then, since nothing else may come.
   */
  boolean isJustAtBound() {
    return arrived - (isCreditDue() ? taken : told) == limits.unexpectedMessages();
  }

  /** Whether the sender is to be told what was taken. */
  boolean isCreditDue() {
    return 2 * (taken - told) >= limits.unexpectedMessages()
        || 2 * (takenBytes - toldBytes) > limits.unexpectedBytes()
        || (taken > told && isAtBound());
  }

  /** It is told now. */
  Envelope tell(Envelope envelope) {
    return envelope.set(Envelope.CREDIT, 0, 0, 0, 0, taken, takenBytes);
  }

  void onTold() {
    told = taken;
    toldBytes = takenBytes;
  }

  /** Whether it was not asked for that already. */
  boolean ask(long pattern) {
    if (asked.size() >= Limits.MOST_WANTS) {
      asksLeft |= !asked.contains(pattern);
      return false;
    }
    return asked.add(pattern);
  }

  /** The sender has answered; false if that was not asked for. */
  boolean onAnswer(long pattern) {
    return asked.remove(pattern);
  }

  /** Nothing of that context is needed any more; whether the sender was asked for something. */
  boolean forgetAsked(int context) {
    return asked.removeIf(pattern -> (int) (pattern >> 32) == context);
  }

  /** Whether there is room for questions that there was none for; told once. */
  boolean takeAsksLeft() {
    boolean left = asksLeft && asked.size() <= Limits.MOST_WANTS / 2;
    asksLeft &= !left;
    return left;
  }

  static long pattern(int context, int tag) {
    return ((long) context << 32) | (tag & 0xffff_ffffL);
  }
}
