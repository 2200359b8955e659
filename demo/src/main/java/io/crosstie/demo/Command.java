// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the demo's controller tells its two processes, one line each. */
sealed interface Command {
  /**
   * The first: what to be.
   *
   * @param node its own name
   * @param peer the other's name
   * @param sender whether it sends
   * @param rails its own rails
   * @param seed where the other is to be found, as a rail URI; empty if it waits to be found
   * @param data file to stream; empty for generated data
   * @param dataSeed of sizes and generated data
   */
  record Start(
      String node,
      String peer,
      boolean sender,
      List<RailSpec> rails,
      String seed,
      String data,
      long dataSeed,
      boolean reinjection,
      @Nullable String scheduler)
      implements Command {}

  /** Send away. */
  record Go() implements Command {}

  /** Cut a rail; {@code files} tells the one process that takes away the files of shared memory. */
  record Cut(String rail, CutKind kind, boolean files) implements Command {}

  /** Give rails back. */
  record Restore(List<String> rails) implements Command {}

  /** End the stream after the message under way. */
  record Finish() implements Command {}

  /** Give the receiver's judgement, given how much the sender gave to its channels. */
  record Judge(long messages, long heartbeats) implements Command {}

  /** Close the node and end. */
  record Stop() implements Command {}
}
