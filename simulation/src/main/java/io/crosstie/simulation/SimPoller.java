// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.Poller;
import java.nio.channels.SelectableChannel;

/** Where nobody blocks: that somebody is to be woken is an event like others. */
final class SimPoller implements Poller {
  private final Runnable wake;

  SimPoller(Runnable wake) {
    this.wake = wake;
  }

  @Override
  public void wakeup() {
    wake.run();
  }

  @Override
  public boolean watchesDescriptors() {
    return false;
  }

  @Override
  public void watch(int fd) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void unwatch(int fd) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void watch(SelectableChannel channel, int operations) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void unwatch(SelectableChannel channel) {
    throw new UnsupportedOperationException();
  }

  @Override
  public boolean await(long timeoutNs) {
    throw new UnsupportedOperationException("in virtual time nobody blocks");
  }

  @Override
  public void close() {}
}
