// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.nio.channels.SelectableChannel;

/**
 * The one place where an engine blocks. All ports register here.
 *
 * <p>{@link #wakeup()} may be called from any thread. One thread at a time waits in {@link #await};
 * everything else belongs to whoever runs the engine, who may change what is watched while another
 * thread waits: that wait ends then.
 */
public interface Poller extends AutoCloseable {
  /** {@link #found}: there is something to read, or to accept. */
  int READABLE = 1;

  /** {@link #found}: an error waits to be taken, or the other end is gone. */
  int FAILED = 2;

  /** Whether {@link #watch(int)} works (file descriptors, on Linux with native access). */
  boolean watchesDescriptors();

  /** Watches a file descriptor for reading. Only if {@link #watchesDescriptors()}. */
  void watch(int fd);

  /** Ends {@link #watch(int)}. Unknown descriptors are ignored. */
  void unwatch(int fd);

  /**
   * Watches a non-blocking channel for the given {@link java.nio.channels.SelectionKey} operations.
   * Only if not {@link #watchesDescriptors()}.
   */
  void watch(SelectableChannel channel, int operations);

  /** Ends {@link #watch(SelectableChannel, int)}. Unknown channels are ignored. */
  void unwatch(SelectableChannel channel);

  /**
   * Blocks until something watched is ready, {@link #wakeup()} was called, or the time is over. A
   * wake-up given while nobody blocks makes the next call return at once.
   *
   * @param timeoutNs longest wait in nanoseconds; 0 or less looks without waiting
   * @return whether it was ended by readiness or wake-up rather than by time
   */
  boolean await(long timeoutNs);

  /**
   * What the last {@link #await}, if this thread called it, found at a descriptor, so that nobody
   * has to ask the system again.
   *
   * @return 0 for nothing; else {@link #READABLE}, {@link #FAILED} or their sum, which is also the
   *     answer where it is not known
   */
  default int found(int fd) {
    return READABLE | FAILED;
  }

  /** Ends a wait, from any thread. */
  void wakeup();

  @Override
  void close();
}
