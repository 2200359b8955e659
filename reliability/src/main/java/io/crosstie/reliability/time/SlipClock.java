// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

import java.util.function.LongSupplier;

/**
 * The engine's clock without this process's own pauses (R19, R34). A detector that was itself
 * asleep (a collection, CPU throttling, a suspended machine) must blame nobody: it feeds each raw
 * clock sample through this class and computes all deadlines in the effective time that comes out.
 *
 * <p>Ticks that follow each other within {@code thresholdNs} let effective time run with raw time.
 * A longer gap may be a pause, or the work of a duty cycle or of a handler, and nothing tells one
 * from the other but that work comes again and again: a gap that exceeds by more than {@code
 * thresholdNs} all that there were lately is a pause, and effective time advances by as much as
 * gaps usually take, or {@code nominalNs}. The rest, the slip, is added to the distance between
 * both clocks for ever, and extends all deadlines at once. A gap as long as one before, within a
 * second and 16 times its length, is work, and effective time runs on: so it is as fast as real
 * time however long duty cycles take, up to a second each, and of rare long ones a sixteenth is
 * lost at most. Whoever judges after a gap ({@link #wasLate}) drains first what arrived meanwhile.
 *
 * <p>A wait that was intended is announced by {@link #onWait}: only what the engine overslept
 * counts then.
 *
 * <p>Beside it the jitter of ticks is measured: the longest gap (at most the threshold) of each
 * tenth of a second; the estimate rises to it at once and loses an eighth of the difference every
 * further tenth of a second. This approximates a high percentile over the last second, and serves
 * as the floor for time-outs (R7).
 *
 * <p>All times are nanoseconds. One thread, no allocation, constant space.
 */
public final class SlipClock {
  private static final long JITTER_WINDOW_NS = 100_000_000L;
  private static final int JITTER_DECAY_SHIFT = 3;
  private static final int KNOWN_SLIPS = 256;

  /** However often it comes again, what is longer than that is more pause than work: one second. */
  static final long MOST_WORK_NS = 1_000_000_000L;

  /** So long a gap is remembered, and {@link #MEMORY_GAPS} times its length more. */
  static final long MEMORY_NS = 1_000_000_000L;

  static final int MEMORY_GAPS = 16;

  private final long thresholdNs;
  private final long nominalNs;
  private final LongSupplier rawClock;
  private final long[] slipAtNs = new long[KNOWN_SLIPS]; // the latest, as a ring
  private final long[] slipBeforeNs = new long[KNOWN_SLIPS]; // the sum of all before each
  private long lastRawNs;
  private long expectedRawNs;
  private long effectiveNs;
  private long totalSlipNs;
  private long lastSlipNs;
  private long slips;
  private long jitterNs;
  private long windowPeakNs;
  private long windowEndNs;
  private long usualNs; // the longest gap of late, if beyond the threshold; else 0
  private long usualUntilNs; // when it is forgotten, unless one like it comes
  private boolean late;
  private boolean started;

  /**
   * @param thresholdNs a gap between ticks up to this is no slip; positive
   * @param nominalNs how far effective time advances over a pause at least, 0 to thresholdNs
   * @param rawClock the clock that the ticks are samples of, for {@link #freshNs}
   */
  public SlipClock(long thresholdNs, long nominalNs, LongSupplier rawClock) {
    if (thresholdNs <= 0 || nominalNs < 0 || nominalNs > thresholdNs) {
      throw new IllegalArgumentException(
          "0 <= nominalNs <= thresholdNs, 0 < thresholdNs required: %d, %d"
              .formatted(nominalNs, thresholdNs));
    }
    this.thresholdNs = thresholdNs;
    this.nominalNs = nominalNs;
    this.rawClock = rawClock;
  }

  /**
   * One tick of the duty cycle. Raw time that runs backwards counts as standing still.
   *
   * @return effective time, never running backwards; equal to raw time until the first slip
   */
  public long onTick(long rawNowNs) {
    if (!started) {
      started = true;
      lastRawNs = rawNowNs;
      expectedRawNs = rawNowNs;
      effectiveNs = rawNowNs;
      windowEndNs = rawNowNs + JITTER_WINDOW_NS;
      return rawNowNs;
    }
    late = false;
    if (rawNowNs - lastRawNs <= 0) {
      return effectiveNs;
    }
    if (!isLate(rawNowNs)) {
      lastRawNs = rawNowNs;
      expectedRawNs = rawNowNs;
      effectiveNs = toEffective(rawNowNs);
      return effectiveNs;
    }
    long due = expectedRawNs - rawNowNs < 0 ? expectedRawNs : rawNowNs;
    long gapNs = rawNowNs - due;
    if (due - usualUntilNs >= 0) {
      usualNs = 0;
    }
    if (gapNs > thresholdNs) {
      late = true;
      judgeGap(gapNs, rawNowNs);
    }
    lastRawNs = rawNowNs;
    expectedRawNs = rawNowNs;
    effectiveNs = toEffective(rawNowNs);
    trackJitter(Math.min(gapNs, thresholdNs), rawNowNs);
    return effectiveNs;
  }

  private void judgeGap(long gapNs, long rawNowNs) {
    if (gapNs - usualNs > thresholdNs) { // R19; else R34
      int i = place(slips++);
      slipBeforeNs[i] = totalSlipNs;
      lastSlipNs = gapNs - Math.max(nominalNs, usualNs);
      totalSlipNs += lastSlipNs;
      slipAtNs[i] = rawNowNs - totalSlipNs;
    }
    usualNs = Math.max(usualNs, Math.min(gapNs, MOST_WORK_NS));
    if (gapNs >= usualNs / 2) {
      usualUntilNs = rawNowNs + MEMORY_NS + MEMORY_GAPS * usualNs;
    }
  }

  /**
   * Whether the last tick came more than the threshold after it was expected, slip or not: then
   * much may have arrived that nobody has looked at, and nobody is to be judged before.
   */
  public boolean wasLate() {
    return late;
  }

  /**
   * Whether so much time has gone by since the last tick that it matters what was waited for
   * ({@link #onWait}): it may be a slip, or the longest gap of its window, or a new window begins.
   */
  public boolean isLate(long rawNowNs) {
    return rawNowNs - lastRawNs > windowPeakNs || rawNowNs - windowEndNs >= 0;
  }

  /**
   * The engine is about to wait on purpose, until then at the latest; counts for the next tick
   * only.
   *
   * @param wakeUpRawNs raw time
   */
  public void onWait(long wakeUpRawNs) {
    if (started && wakeUpRawNs - lastRawNs > 0) {
      expectedRawNs = wakeUpRawNs;
    }
  }

  /**
   * Effective time by a sample of its own. What arrives while this process has lost its processor
   * between the cycle's sample and the port's system call seems to arrive before it was sent for.
   */
  public long freshNs() {
    return Math.max(effectiveNs, toEffective(rawClock.getAsLong()));
  }

  private void trackJitter(long gapNs, long rawNowNs) {
    windowPeakNs = Math.max(windowPeakNs, gapNs);
    jitterNs = Math.max(jitterNs, gapNs);
    if (rawNowNs - windowEndNs >= 0) {
      jitterNs -= (jitterNs - windowPeakNs) >> JITTER_DECAY_SHIFT;
      windowPeakNs = 0;
      windowEndNs = rawNowNs + JITTER_WINDOW_NS;
    }
  }

  /** The sum of all slips. */
  public long totalSlipNs() {
    return totalSlipNs;
  }

  /** The length of the last slip, or 0. */
  public long lastSlipNs() {
    return lastSlipNs;
  }

  /** How often the clock slipped. */
  public long slips() {
    return slips;
  }

  private static int place(long slip) {
    return (int) (slip & (KNOWN_SLIPS - 1));
  }

  /**
   * The effective time at which the last slip was noticed: a round trip begun before cannot be
   * measured in it. Long.MIN_VALUE before the first.
   */
  public long lastSlipAtNs() {
    return slips == 0 ? Long.MIN_VALUE : slipAtNs[place(slips - 1)];
  }

  /**
   * When a past effective time was in raw time; too early if more slips followed it than are
   * remembered.
   */
  public long wasRaw(long effectiveNs) {
    long total = totalSlipNs;
    long oldest = Math.max(0, slips - KNOWN_SLIPS);
    for (long i = slips - 1; i >= oldest; i--) {
      if (effectiveNs >= slipAtNs[place(i)]) {
        return effectiveNs + total;
      }
      total = slipBeforeNs[place(i)];
    }
    return effectiveNs; // before the first, or nobody knows
  }

  /** When an effective time comes in raw time, unless the clock slips until then. */
  public long toRaw(long effectiveNs) {
    return effectiveNs + totalSlipNs;
  }

  /** What a raw time is in effective time, as far as slips are known. */
  public long toEffective(long rawNs) {
    return rawNs - totalSlipNs;
  }

  /** A high percentile of the gaps between ticks of about the last second, at most thresholdNs. */
  public long jitterNs() {
    return jitterNs;
  }
}
