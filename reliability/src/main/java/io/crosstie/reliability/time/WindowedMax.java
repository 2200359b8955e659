// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.time;

/**
 * The largest value of the last stretch of some clock (nanoseconds, or a count of round trips), in
 * constant space: after Kathleen Nichols, as in the Linux kernel's {@code win_minmax.c}. It keeps
 * the best, second and third best values, each younger than the one before; when the best is older
 * than the window the next takes over. A minimum is the maximum of the negated values.
 */
public final class WindowedMax {
  private final long window;
  private long value0;
  private long value1;
  private long value2;
  private long time0;
  private long time1;
  private long time2;
  private boolean empty = true;

  /**
   * @param window how long a value counts, in units of the times given to {@link #update}; positive
   */
  public WindowedMax(long window) {
    if (window <= 0) {
      throw new IllegalArgumentException("window must be positive: " + window);
    }
    this.window = window;
  }

  public boolean isEmpty() {
    return empty;
  }

  /** The largest value of the window, as of the last update; undefined while empty. */
  public long get() {
    return value0;
  }

  public void clear() {
    empty = true;
  }

  /** Forgets all that was seen, but for this value. */
  public void reset(long value, long time) {
    value0 = value1 = value2 = value;
    time0 = time1 = time2 = time;
    empty = false;
  }

  /** Takes a value in; times never run backwards. */
  public void update(long value, long time) {
    if (empty || value >= value0 || time - time2 > window) {
      reset(value, time);
      return;
    }
    if (value >= value1) {
      value1 = value2 = value;
      time1 = time2 = time;
    } else if (value >= value2) {
      value2 = value;
      time2 = time;
    }
    if (time - time0 > window) {
      value0 = value1;
      time0 = time1;
      value1 = value2;
      time1 = time2;
      value2 = value;
      time2 = time;
      if (time - time0 > window) {
        value0 = value1;
        time0 = time1;
        value1 = value2;
        time1 = time2;
      }
    } else if (time1 == time0 && time - time0 > window / 4) {
      value1 = value2 = value;
      time1 = time2 = time;
    } else if (time2 == time1 && time - time1 > window / 2) {
      value2 = value;
      time2 = time;
    }
  }
}
