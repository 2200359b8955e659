// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

import io.crosstie.reliability.channel.IntervalSet;

/**
 * Which use of a channel's number a message belongs to. A number is free again when both sides have
 * closed its channel; what still comes of that one, however late and by whatever rail, has to be
 * known from what belongs to the next.
 *
 * <p>Each side gives each channel on which it has something to say a <em>use</em>, which is never
 * given twice on that number: 0 the first time that a number is used, and otherwise one more than
 * any that it gave on the connection. The upper 31 bits of a message number on the wire are the
 * use, the lower 32 count from 1. So the receiver need not know anything of a number that is free:
 * it remembers the uses that it has seen, which are consecutive but for those under way, and the
 * numbers that were used for the first time. Both sets are bounded; of the latter, if numbers are
 * scattered, so many go with use 0, and the others with uses of their own.
 *
 * <p>The engine's thread.
 */
public final class ChannelUses {
  /** Of a message's number on the wire. */
  public static final int USE_SHIFT = 32;

  private static final long MOST_USES = 1L << 31;

  /** So many uses are left for channels that are in use already. */
  private static final long RESERVE = 1L << 24;

  /** First uses, in pieces of consecutive numbers. */
  private static final int FIRST_USES = 1024;

  /** What is seen out of order makes some more of them. */
  private static final int LEAST_SEEN = 4096;

  private final IntervalSet firstUses = new IntervalSet(FIRST_USES);
  private long nextUse = 1;

  private final IntervalSet refused;
  private final int mostSeen;
  private final IntervalSet seenFirstUses;
  private final IntervalSet seenUses;

  /**
   * @param maxChannels the bound on channels that are open at a time
   */
  public ChannelUses(int maxChannels) {
    mostSeen = (int) Math.min(1 << 24, Math.max(LEAST_SEEN, 4L * maxChannels));
    seenFirstUses = new IntervalSet(mostSeen);
    seenUses = new IntervalSet(mostSeen);
    refused = new IntervalSet(mostSeen);
  }

  /** A use for a channel of this number; what is to be added to the numbers of its messages. */
  public long give(int number) {
    boolean isFirst = firstUses.add(number, number + 1L) > 0;
    return isFirst ? 0 : nextUse++ << USE_SHIFT;
  }

  /** Whether numbers can be used again; false after two billion times. */
  boolean canGive() {
    return nextUse < MOST_USES - RESERVE;
  }

  /** Whether the peer's use that a message number tells was seen before on that channel number. */
  public boolean isSeen(int number, long message) {
    long use = message >>> USE_SHIFT;
    return use == 0 ? seenFirstUses.covers(number, number + 1L) : seenUses.covers(use, use + 1);
  }

  /** Whether one more can be remembered; else too many before it were not seen yet. */
  public boolean canSee() {
    return seenFirstUses.intervals() < mostSeen && seenUses.intervals() < mostSeen;
  }

  /** Notes a use of the peer's as seen; after {@link #canSee}. */
  public void see(int number, long message) {
    long use = message >>> USE_SHIFT;
    long unused = use == 0 ? seenFirstUses.add(number, number + 1L) : seenUses.add(use, use + 1);
  }

  /**
   * Nothing that the peer sends on that channel number will be taken: what of it is under way must
   * not be taken either when there is room again.
   *
   * @return false if one more cannot be remembered
   */
  boolean refuse(int number) {
    return refused.add(number, number + 1L) >= 0;
  }

  /** Whether that was refused. */
  boolean isRefused(int number) {
    return refused.covers(number, number + 1L);
  }

  /** What is added to the numbers of that use's messages. */
  static long base(long message) {
    return message >>> USE_SHIFT << USE_SHIFT;
  }
}
