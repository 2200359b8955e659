// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.schedule.PathScheduler.RailsView;
import org.jspecify.annotations.Nullable;

/** Asks the application's path scheduler for the core; one for each connection. */
final class SchedulerAdapter implements io.crosstie.multirail.schedule.PathScheduler {
  /** What the core knows of the rails, as long as it asks. */
  private static final class View implements PathScheduler.RailsView {
    private final RailsView rails;

    View(RailsView rails) {
      this.rails = rails;
    }

    @Override
    public int count() {
      return rails.count();
    }

    @Override
    public boolean usable(int rail) {
      return rails.usable(rail);
    }

    @Override
    public boolean canSendNow(int rail) {
      return rails.canSendNow(rail);
    }

    @Override
    public long waitNs(int rail, long nowNs) {
      return rails.waitNs(rail, nowNs);
    }

    @Override
    public long rate(int rail) {
      return rails.rate(rail);
    }

    @Override
    public long flightBytes(int rail) {
      return rails.flightBytes(rail);
    }

    @Override
    public long rttNs(int rail) {
      return rails.rttNs(rail);
    }

    @Override
    public int weight(int rail) {
      return rails.weight(rail);
    }
  }

  private final PathScheduler own;
  private @Nullable View view; // the core asks with the same one again and again

  SchedulerAdapter(PathScheduler own) {
    this.own = own;
  }

  @Override
  @SuppressWarnings("ReferenceEquality") // another view with the same content is another one
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    View seen = view;
    if (seen == null || seen.rails != rails) {
      seen = new View(rails);
      view = seen;
    }
    return own.select(seen, packetBytes, backlogBytes, avoid, nowNs);
  }

  @Override
  public void onSent(int rail, long payloadBytes) {
    own.onSent(rail, payloadBytes);
  }

  @Override
  public boolean redundant() {
    return own.redundant();
  }

  @Override
  public String toString() {
    return own.toString();
  }
}
