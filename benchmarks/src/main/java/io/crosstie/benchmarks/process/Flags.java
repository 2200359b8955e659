// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.List;

/** The flags of every subject's JVM. */
final class Flags {
  /**
   * The serial collector leaves both processors to the two processes. Agrona, which Aeron stands
   * on, needs the opened package; Crosstie needs none of these.
   *
   * <p>The sum that receivers take of every message is compiled by itself. The compiler inlines
   * fifteen calls deep: with a subject's poll, handler and sink above it the loop was at the end of
   * that, or beyond it, and a word then took a call or two: ten times as long as the copy.
   */
  static final List<String> JVM =
      List.of(
          "-XX:+UseSerialGC",
          "-Xms512m",
          "-Xmx2g",
          "-XX:-UsePerfData",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
          "-XX:CompileCommand=quiet",
          "-XX:CompileCommand=dontinline,io.crosstie.benchmarks.link.WordSum::of");

  private Flags() {}
}
