// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The longest gap about the last cut, by itself: what the start of the programs did, or a cut
 * before, is not in it. Thread safe.
 */
final class CutGap {
  /** So long after a cut its gap is looked for. */
  private static final long LOOK_NS = TimeUnit.SECONDS.toNanos(5);

  private long cutNs;
  private boolean looking;
  private @Nullable Double longestMs;
  private List<Boolean> carried = List.of();

  /** Something is taken away now, or some rail was found to carry no more. */
  synchronized void cut(long nowNs) {
    cutNs = nowNs;
    looking = true;
    longestMs = null;
  }

  /** Looks whether a rail was lost that nobody has told of; a suspicion that goes by is none. */
  synchronized void look(List<RailView> rails, long nowNs) {
    List<Boolean> now = new ArrayList<>();
    for (int rail = 0; rail < rails.size(); rail++) {
      String state = rails.get(rail).state();
      boolean had = rail < carried.size() && carried.get(rail);
      now.add(state.equals("ACTIVE") || (had && state.equals("SUSPECT")));
      if (had && !now.get(rail) && !looking) {
        cut(nowNs);
      }
    }
    carried = now;
  }

  /** Takes an account of the receiver, which tells the longest gap of the last second. */
  synchronized void take(Report.Gaps gaps, long nowNs) {
    if (looking) {
      double open = Math.max(gaps.lastMs(), gaps.silenceMs());
      longestMs = Math.max(longestMs == null ? 0 : longestMs, open);
      looking = nowNs - cutNs < LOOK_NS;
    }
  }

  /** Forgets it. */
  synchronized void reset() {
    looking = false;
    longestMs = null;
  }

  /** In milliseconds; null if there was no cut. */
  synchronized @Nullable Double longestMs() {
    return longestMs;
  }
}
