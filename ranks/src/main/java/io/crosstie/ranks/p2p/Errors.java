// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks.p2p;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * What parts of the progress have thrown that nothing else depends on, until it is told. Whoever
 * makes progress.
 */
public final class Errors {
  /** So many are kept; more that come before these were taken are left out. */
  public static final int MOST = 16;

  private final ArrayDeque<Throwable> kept = new ArrayDeque<>(MOST);

  /** None. */
  public Errors() {}

  /** One more. */
  public void add(Throwable error) {
    if (kept.size() < MOST) {
      kept.add(error);
    }
  }

  /** Whether there is none. */
  public boolean isEmpty() {
    return kept.isEmpty();
  }

  /** The oldest, once; null if there is none. */
  public @Nullable Throwable take() {
    return kept.poll();
  }
}
