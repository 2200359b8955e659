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
 * @param outputFile what each rank writes goes to a file of this name and a dot and its number, and
 *     not to this process's output; null for the latter
 * @param showRails whether changes of rails are told while it runs
 * @param binding which processors each rank may use
 * @param environment variables for all ranks, besides this process's own
 * @param folder in which they work, null for this process's own
 * @param onDeath what a rank that ends badly means for the others
 * @param words the program and its arguments
 */
public record LocalJobOptions(
    int ranks,
    @Nullable Duration timeout,
    boolean tagOutput,
    @Nullable Path outputFile,
    boolean showRails,
    Binding binding,
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

  /** Which processors a rank may use. */
  public enum Binding {
    /** All that this process may. */
    NONE,
    /** Its share of those; one at least, in turn where there are fewer than ranks. */
    CORE
  }

  /** Copies what could change. */
  public LocalJobOptions {
    environment = Map.copyOf(environment);
    words = List.copyOf(words);
  }
}
