// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.List;

/** The flags of every subject's JVM. */
final class Flags {
  /**
   * The serial collector leaves both processors to the two processes. Agrona, which Aeron stands
   * on, needs the opened package; Crosstie needs none of these.
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
          "--add-opens=java.base/java.util.zip=ALL-UNNAMED");

  private Flags() {}
}
