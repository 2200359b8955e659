// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import java.util.concurrent.locks.LockSupport;

/**
 * One end of a subject between two processes. Everything runs on the one thread that calls, unless
 * the subject has threads of its own.
 *
 * <p>Order of calls: {@link #address()}, {@link #connect} with what the other end's {@code
 * address()} said, {@link #isReady()} until it is true, then the others, then {@link #close()}.
 */
public interface Link extends AutoCloseable {
  /** Where the other end finds this one; empty if it need not. */
  String address();

  /** Begins to connect. */
  void connect(String peer);

  /** Drives the connection's set-up. Consumes no message. */
  boolean isReady();

  /**
   * Sends a message that lies in {@link LinkSpec#messages()}. It may stay with the subject until
   * the next poll, echo or progress.
   *
   * @return false if there is no room now: call progress or poll, then try again
   */
  boolean send(long offset, int length);

  /** Moves on what was sent, where nothing is expected to arrive. */
  void progress();

  /**
   * Hands what has arrived to the sink, in the subject's natural batches.
   *
   * @return how many calls of the sink there were
   */
  int poll(Sink sink);

  /** As poll, but sends everything straight back in the subject's own best way. */
  int echo();

  /**
   * Passes a little time when nothing is to be done, as an application would. Not a millisecond:
   * nine hundred turns a second took 1.6 % of a processor, in which a node's own part was lost.
   */
  default void idle() {
    LockSupport.parkNanos(10_000_000);
  }

  /** Whether the other end has accepted all that was sent, as far as the subject can tell. */
  default boolean isAllAccepted() {
    return true;
  }

  /** What a reader of the results should know besides; empty for nothing. */
  default String note() {
    return "";
  }

  @Override
  void close();
}
