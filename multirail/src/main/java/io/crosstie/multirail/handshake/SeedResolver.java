// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.transport.RailAddress;
import java.util.List;
import java.util.function.Consumer;

/**
 * Finds out where a seed leads that names a host. A name server may take its time, or never answer,
 * so whoever asks one does it beside the engine (R37). A seed is asked for again now and then for
 * as long as its peer does not answer, since what a name stands for changes.
 */
public interface SeedResolver {
  /** Takes each seed as it is. */
  SeedResolver AS_WRITTEN = (seed, answer) -> answer.accept(new Answer(List.of(seed), ""));

  /**
   * What came of it.
   *
   * @param addresses all that are known, the best first; empty if there are none
   * @param why there are none, for a person
   */
  record Answer(List<RailAddress> addresses, String why) {}

  /**
   * Begins to look a seed up. The engine's thread calls; never blocks.
   *
   * @param answer takes what is found, once: before this returns, later on any thread, or never
   */
  void resolve(RailAddress seed, Consumer<Answer> answer);
}
