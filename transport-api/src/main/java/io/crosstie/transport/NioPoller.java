// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Waits with a {@link Selector}: the portable poller. It waits in whole milliseconds, rounded up;
 * channels that are closed drop out by themselves. An interrupt of the thread neither ends a wait
 * for good nor is it lost.
 */
public final class NioPoller implements Poller {
  private static final long NS_PER_MS = 1_000_000L;
  private static final Consumer<SelectionKey> IGNORE = key -> {};

  private final Selector selector;
  private final AtomicBoolean wakeupPending = new AtomicBoolean();
  private volatile boolean blocking;

  /**
   * Opens a selector.
   *
   * @throws RailException if the system has no room for one
   */
  public NioPoller() throws RailException {
    try {
      selector = Selector.open();
    } catch (IOException e) {
      throw new RailException(
          "cannot open a java.nio selector to wait with: "
              + e.getMessage()
              + "; raise the limit on open files (ulimit -n)",
          e);
    }
  }

  @Override
  public boolean watchesDescriptors() {
    return false;
  }

  /** Not supported without native access. */
  @Override
  public void watch(int fd) {
    throw new UnsupportedOperationException(
        "this poller waits for java.nio channels; ask watchesDescriptors() first");
  }

  @Override
  public void unwatch(int fd) {
    // none can be watched
  }

  @Override
  public void watch(SelectableChannel channel, int operations) {
    try {
      SelectionKey unused = channel.register(selector, operations);
      if (blocking) {
        Selector unusedSelector = selector.wakeup(); // it waits for what was watched before
      }
    } catch (ClosedChannelException e) {
      // there is nothing to wait for; its owner finds out when it reads
    }
  }

  @Override
  public void unwatch(SelectableChannel channel) {
    @Nullable SelectionKey key = channel.keyFor(selector);
    if (key != null) {
      key.cancel();
      if (blocking) {
        Selector unused = selector.wakeup(); // which has the selector to itself while it waits
      }
      // a channel is not really closed while a cancelled key of it lingers in a selector, and its
      // descriptor's number
      // could be another socket's by then
      forgetCancelled();
    }
  }

  private void forgetCancelled() {
    try {
      int unused = selector.selectNow(IGNORE);
    } catch (IOException e) {
      throw new UncheckedIOException("the java.nio selector failed", e);
    }
  }

  @Override
  public boolean await(long timeoutNs) {
    boolean interrupted = Thread.interrupted(); // else every select would return at once
    blocking = true;
    try {
      int ready;
      if (wakeupPending.get() || timeoutNs <= 0) {
        ready = selector.selectNow(IGNORE);
      } else {
        long timeoutMs = timeoutNs / NS_PER_MS + (timeoutNs % NS_PER_MS == 0 ? 0 : 1);
        ready = selector.select(IGNORE, timeoutMs);
      }
      blocking = false;
      return wakeupPending.getAndSet(false) || ready > 0;
    } catch (IOException e) {
      throw new UncheckedIOException("the java.nio selector failed", e);
    } finally {
      blocking = false;
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public void wakeup() {
    if (!wakeupPending.getAndSet(true) && blocking) {
      Selector unused = selector.wakeup();
    }
  }

  @Override
  public void close() {
    try {
      selector.close();
    } catch (IOException e) {
      throw new UncheckedIOException("the java.nio selector could not be closed", e);
    }
  }
}
