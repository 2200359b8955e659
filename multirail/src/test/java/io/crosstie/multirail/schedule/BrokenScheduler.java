// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

/** A fault of the library's own: beside the built-in schedulers, which are not guarded. */
public final class BrokenScheduler implements PathScheduler {
  @Override
  public int select(RailsView rails, long packet, long backlog, int avoid, long nowNs) {
    throw new IllegalStateException("the owner's own fault");
  }

  @Override
  public void onSent(int rail, long bytes) {
    throw new IllegalStateException("the owner's own fault");
  }
}
