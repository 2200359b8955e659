// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

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
  private long taken;
  private long takenBytes;
  private long told;
  private long toldBytes;

  /** Patterns that the sender was asked for, and has not answered. */
  private final Set<Long> asked = new HashSet<>();

  Inflow(Limits limits) {
    this.limits = limits;
  }

  void onArrival() {
    arrived++;
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

  /** Whether it has just come to it. */
  boolean isJustAtBound() {
    return arrived - told == limits.unexpectedMessages();
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
    return asked.size() < Limits.MOST_WANTS && asked.add(pattern);
  }

  /** The sender has answered; false if that was not asked for. */
  boolean onAnswer(long pattern) {
    return asked.remove(pattern);
  }

  static long pattern(int context, int tag) {
    return ((long) context << 32) | (tag & 0xffff_ffffL);
  }
}
