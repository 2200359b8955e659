// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.launch;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What {@code crosstie run} was asked for.
 *
 * @param ranks how many processes
 * @param timeout after which the job is ended, null for none
 * @param tagOutput whether each line begins with the rank
 * @param environment variables for all ranks, besides this process's own
 * @param folder in which they work, null for this process's own
 * @param onDeath what a rank that ends badly means for the others
 * @param words the program and its arguments
 */
public record LocalJobOptions(
    int ranks,
    @Nullable Duration timeout,
    boolean tagOutput,
    Map<String, String> environment,
    @Nullable Path folder,
    OnDeath onDeath,
    List<String> words) {
  /** What a rank that ends badly means for the others. */
  public enum OnDeath {
    /** They are ended, too. */
    ABORT,
    /** They go on, and are told by errors of what needs that rank. */
    CONTINUE
  }

  /** Copies what could change. */
  public LocalJobOptions {
    environment = Map.copyOf(environment);
    words = List.copyOf(words);
  }
}
