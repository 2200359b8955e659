// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What happened, in order. A hash over all of it is always taken, so that two runs can be compared;
 * the text is made only when it is wanted, that is when a failed seed is run again.
 */
public final class Trace {
  private final int keep;
  private final ArrayDeque<String> lines = new ArrayDeque<>();
  private final @Nullable PrintStream live;
  private long hash = 0x9e3779b97f4a7c15L;

  /**
   * @param keep how many last lines are kept; 0 for none
   * @param live where every line is printed too, or null
   */
  public Trace(int keep, @Nullable PrintStream live) {
    this.keep = keep;
    this.live = live;
  }

  /** One thing that happened: the numbers go into the hash, the text into the trace. */
  public void note(long nowNs, long a, long b, Supplier<String> text) {
    hash = mix(hash ^ nowNs);
    hash = mix(hash ^ a);
    hash = mix(hash ^ b);
    text(nowNs, text);
  }

  /** Whether text is kept or printed. */
  public boolean hasText() {
    return keep > 0 || live != null;
  }

  /** Something that follows from the rest, and is not part of the hash. */
  public void text(long nowNs, Supplier<String> text) {
    if (hasText()) {
      long us = nowNs / 1000;
      String line = us / 1000 + "." + String.format("%03d", us % 1000) + " ms  " + text.get();
      if (live != null) {
        live.println(line);
      }
      if (keep > 0) {
        if (lines.size() == keep) {
          String unused = lines.pollFirst();
        }
        lines.addLast(line);
      }
    }
  }

  private static long mix(long x) {
    long z = (x ^ (x >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Hash of everything noted so far. */
  public long hash() {
    return hash;
  }

  /** The last lines. */
  public List<String> lines() {
    return new ArrayList<>(lines);
  }
}
