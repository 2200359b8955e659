// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.schedule;

import io.crosstie.multirail.event.ErrorSink;

/**
 * A scheduler of the application's own. If it throws, or picks a rail that there is not, that is
 * counted and told, and the connection goes on with the default one.
 */
public final class GuardedScheduler implements PathScheduler {
  private final ErrorSink errors;
  private final PathScheduler instead = new EstimatedCompletion();
  private PathScheduler current;

  public GuardedScheduler(PathScheduler own, ErrorSink errors) {
    this.errors = errors;
    this.current = own;
  }

  @Override
  public int select(RailsView rails, long packetBytes, long backlogBytes, int avoid, long nowNs) {
    try {
      int rail = current.select(rails, packetBytes, backlogBytes, avoid, nowNs);
      if (rail >= WAIT && rail < rails.count()) {
        return rail;
      }
      giveUp(new IllegalStateException("path scheduler " + current + " picked rail " + rail));
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
    return instead.select(rails, packetBytes, backlogBytes, avoid, nowNs);
  }

  @Override
  public void onSent(int rail, long payloadBytes) {
    try {
      current.onSent(rail, payloadBytes);
    } catch (RuntimeException | Error e) {
      giveUp(e);
    }
  }

  @Override
  public boolean redundant() {
    try {
      return current.redundant();
    } catch (RuntimeException | Error e) {
      giveUp(e);
      return false;
    }
  }

  private void giveUp(Throwable error) {
    current = instead;
    errors.onError(error);
  }
}
