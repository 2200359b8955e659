// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import java.util.Arrays;

/**
 * A set of bytes as sorted, disjoint, half-open intervals [start, end) over non-negative longs:
 * what of a message has arrived, or was acknowledged (R2, R10).
 *
 * <p>The intervals lie in one array, start and end in turn, ascending; neighbours that touch are
 * joined, so there is always a hole between two. The array grows by doubling up to the bound and is
 * kept by {@link #clear()}, so a pooled instance allocates no more (R24). Appending at the end
 * costs constant time; anything else a binary search, and a move of what lies above.
 *
 * <p>One thread.
 */
public final class IntervalSet {
  private static final int INITIAL_INTERVALS = 8;

  /** Parts of one message that lie apart, at most (R24). */
  private static final int MOST = 4096;

  private int maxIntervals;
  private long[] bounds;
  private int used; // longs of the array in use: twice the number of intervals

  /**
   * @param maxIntervals the bound, 1 to 2^24: no more than so many intervals at any time
   */
  public IntervalSet(int maxIntervals) {
    if (maxIntervals < 1 || maxIntervals > 1 << 24) {
      throw new IllegalArgumentException("maxIntervals must be from 1 to 2^24: " + maxIntervals);
    }
    this.maxIntervals = maxIntervals;
    this.bounds = new long[2 * Math.min(maxIntervals, INITIAL_INTERVALS)];
  }

  /**
   * So many parts of a message of that length may lie apart: no sender cuts smaller fragments than
   * that by the dozen.
   */
  static int mostOf(long length) {
    return Math.clamp(length / 512, 16, MOST);
  }

  /** Empties the set; keeps its memory. */
  public void clear() {
    used = 0;
  }

  /** How many intervals there are. */
  public int intervals() {
    return used / 2;
  }

  /** Whether [0, length) is covered. */
  public boolean isComplete(long length) {
    return covers(0, length);
  }

  /** Whether every byte of [start, end) is in the set; true for an empty range. */
  public boolean covers(long start, long end) {
    checkRange(start, end);
    return start == end || nextMissing(start, end) == end;
  }

  /** Whether some byte of [start, end) is in the set; false for an empty range. */
  public boolean intersects(long start, long end) {
    checkRange(start, end);
    if (start == end) {
      return false;
    }
    int at = firstEndAbove(start);
    return at < used && bounds[at] < end;
  }

  /**
   * Adds [start, end).
   *
   * @return how many bytes are new, 0 to end - start; or -1 if one interval more than the bound
   *     would result: nothing has changed then
   */
  public long add(long start, long end) {
    checkRange(start, end);
    if (start == end) {
      return 0;
    }
    if (used > 0 && bounds[used - 1] == start) { // append, the usual case
      bounds[used - 1] = end;
      return end - start;
    }
    int first = firstEndAtOrAbove(start); // the first interval that touches, or lies above
    int last = first; // the first one that lies wholly above
    long overlap = 0;
    while (last < used && bounds[last] <= end) {
      overlap += Math.max(0, Math.min(bounds[last + 1], end) - Math.max(bounds[last], start));
      last += 2;
    }
    if (last == first) {
      if (used == 2 * maxIntervals) {
        return -1; // R24
      }
      insert(first, start, end);
    } else {
      bounds[first] = Math.min(bounds[first], start);
      bounds[first + 1] = Math.max(bounds[last - 1], end);
      System.arraycopy(bounds, last, bounds, first + 2, used - last);
      used -= last - first - 2;
    }
    return end - start - overlap;
  }

  /** Sets another bound; the set has to be empty. */
  void setMaxIntervals(int intervals) {
    if (used > 0 || intervals < 1) {
      throw new IllegalStateException("a bound of " + intervals + " for " + used / 2);
    }
    maxIntervals = intervals;
    if (bounds.length > 2 * intervals) {
      bounds = new long[2 * intervals];
    }
  }

  /**
   * Gets the memory that adding [start, end) needs.
   *
   * @return false if one interval more than the bound would result, or there is no memory
   */
  boolean makeRoomFor(long start, long end) {
    if (used < bounds.length) {
      return true;
    }
    int at = firstEndAtOrAbove(start);
    if (at < used && bounds[at] <= end) {
      return true; // it joins others
    }
    if (used == 2 * maxIntervals) {
      return false;
    }
    try {
      enlarge();
      return true;
    } catch (OutOfMemoryError e) {
      return false;
    }
  }

  private void enlarge() {
    bounds = Arrays.copyOf(bounds, (int) Math.min(2L * bounds.length, 2L * maxIntervals));
  }

  private void insert(int at, long start, long end) {
    if (used == bounds.length) {
      enlarge();
    }
    System.arraycopy(bounds, at, bounds, at + 2, used - at);
    bounds[at] = start;
    bounds[at + 1] = end;
    used += 2;
  }

  /** The first position of [from, end) that is not covered, or end. */
  public long nextMissing(long from, long end) {
    checkRange(from, end);
    int at = firstEndAbove(from);
    return at == used || bounds[at] > from ? from : Math.min(bounds[at + 1], end);
  }

  /**
   * Where the hole that begins at an uncovered position ends: the first covered position of [from,
   * end), or end.
   */
  public long missingEnd(long from, long end) {
    checkRange(from, end);
    int at = firstEndAbove(from);
    return at == used ? end : Math.clamp(bounds[at], from, end);
  }

  /**
   * Index of the first interval whose end lies above the position; {@code used} if there is none.
   */
  private int firstEndAbove(long position) {
    int low = 0;
    int high = used / 2;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (bounds[2 * middle + 1] > position) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return 2 * low;
  }

  private int firstEndAtOrAbove(long position) {
    return position == 0 ? 0 : firstEndAbove(position - 1);
  }

  private static void checkRange(long start, long end) {
    if (start < 0 || end < start) {
      throw new IllegalArgumentException(
          "0 <= start <= end required: [" + start + ", " + end + ")");
    }
  }
}
