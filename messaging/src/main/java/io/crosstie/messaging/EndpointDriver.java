// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.Connection;
import io.crosstie.multirail.Endpoint;
import java.util.function.LongSupplier;

/** The endpoint, as the engine drives it. */
record EndpointDriver(Endpoint endpoint) implements Engine.Core {
  @Override
  public int poll(LongSupplier sample) {
    return endpoint.poll(sample);
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
    } finally {
      endpoint.close();
    }
  }
}
