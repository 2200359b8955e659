// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * What the user wants of the demo.
 *
 * @param file to stream, or null for the JDK's own lib/modules, or for generated data if a size is
 *     given
 * @param size the stream is at least that long, in bytes; 0 for no such wish
 * @param seconds the stream goes on for at least that long
 * @param seed of the messages' sizes and of generated data
 * @param json whether the last line on standard output is the verdict as JSON, and all else goes to
 *     standard error
 * @param reinjection off only as a negative control
 * @param driver of the UDP rails: auto, linux or netty
 * @param scheduler path scheduler by name, or null for the default
 * @param verbose whether the processes' own words are shown
 */
public record DemoOptions(
    @Nullable Path file,
    long size,
    int seconds,
    long seed,
    boolean json,
    boolean reinjection,
    String driver,
    @Nullable String scheduler,
    boolean verbose) {

  /** Everything as it is without a word on the command line. */
  public static DemoOptions defaults() {
    return new DemoOptions(null, 0, 0, 1, false, true, "auto", null, false);
  }
}
