// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.stream.StreamVerifier;

/** What a process of the demo does with the stream, on a thread of its own. */
interface StreamTask {
  /** Runs until the stream has ended or {@link #stop} was called. */
  void run();

  /** The sender: end the stream after the message under way. */
  default void finish() {}

  /** Gives up. Any thread. */
  void stop();

  /** Messages given to the channel, or delivered. Any thread. */
  long messages();

  /** Bytes of them. Any thread. */
  long bytes();

  /** The receiver's judgement, given how many messages were sent. Any thread. */
  default StreamVerifier.Account account(long sent) {
    throw new IllegalStateException("only the receiver judges");
  }
}
