// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.List;

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

  /** Pauses between deliveries since the last call. Any thread. */
  default List<long[]> drainPauses() {
    return List.of();
  }

  /** The receiver's judgement, given how much was sent. Any thread. */
  default StreamVerifier.Result judge(long sent) {
    throw new IllegalStateException("only the receiver judges");
  }
}
