// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.Endpoint;
import io.crosstie.multirail.connection.Connection;
import io.crosstie.transport.Uninterruptibly;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * The endpoint, as the engine drives it.
 *
 * @param listener told of the end of each duty cycle
 */
record EndpointDriver(Endpoint endpoint, NodeListener listener) implements Engine.Core {
  /** An offer that is under way when the node ends is waited for, within bounds. */
  private static final long RETRY_NS = 250_000L;

  private static final int MOST_RETRIES = 2_000;

  @Override
  public int poll(LongSupplier sample, boolean awake) {
    int work = endpoint.poll(sample, awake);
    listener.onCycle();
    return work;
  }

  @Override
  public long nextDeadlineNs() {
    return endpoint.nextDeadlineNs();
  }

  @Override
  public boolean prepareToBlock() {
    return endpoint.prepareToBlock();
  }

  @Override
  public boolean isSignalled() {
    return endpoint.isSignalled();
  }

  @Override
  public void afterBlock() {
    endpoint.afterBlock();
  }

  @Override
  public void afterTimeout() {
    endpoint.afterTimeout();
  }

  @Override
  public boolean hasUnwatchedPort() {
    return endpoint.hasUnwatchedPort();
  }

  /** For as long as a copy takes: then they are named, or were not taken. */
  private void awaitOffersUnderWay(long nowNs) {
    boolean interrupted = Uninterruptibly.clear();
    for (int i = 0; i < MOST_RETRIES && endpoint.isEnding(); i++) {
      LockSupport.parkNanos(this, RETRY_NS);
      int unused = endpoint.poll(nowNs + (i + 1) * RETRY_NS);
    }
    Uninterruptibly.restore(interrupted);
  }

  @Override
  public void close(long nowNs) {
    try {
      boolean anyLeft = false;
      for (Connection connection : endpoint.connections()) {
        if (!connection.state().isOver()) {
          connection.close(0, nowNs);
          anyLeft = true;
        }
      }
      if (anyLeft) {
        int unused = endpoint.poll(nowNs);
      }
      awaitOffersUnderWay(nowNs);
    } finally {
      endpoint.close();
      listener.onCycle();
    }
  }
}
