// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

/** What a worker tells the controller, one line each. */
sealed interface Reply {
  /** One end is open; the other needs this address. */
  record Opened(String address) implements Reply {}

  /** It is connected. */
  record Ready() implements Reply {}

  /** It has begun. */
  record Running() implements Reply {}

  /** It has measured enough, and goes on until it is stopped. */
  record Measured() implements Reply {}

  /** It has stopped, and is still connected. */
  record Stopped(Tally tally) implements Reply {}

  /** It could not. */
  record Failed(String why) implements Reply {}
}
