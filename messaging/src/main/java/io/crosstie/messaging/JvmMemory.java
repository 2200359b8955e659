// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** What memory the JVM may take. */
final class JvmMemory {
  private static final String DIRECT = "-XX:MaxDirectMemorySize=";
  private static final String FILE = "-XX:VMOptionsFile=";
  private static final String FLAGS = "-XX:Flags=";

  /** Where a JVM finds more arguments. */
  private static final List<String> ENVIRONMENT =
      List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS");

  private JvmMemory() {}

  /** The lesser of its largest heap and of its bound of direct memory, in bytes. */
  static long bytes() {
    long heap = Runtime.getRuntime().maxMemory();
    long direct = 0;
    for (String argument : arguments()) {
      direct = argument.startsWith(DIRECT) ? parse(argument.substring(DIRECT.length())) : direct;
    }
    return direct > 0 ? Math.min(heap, direct) : heap;
  }

  /**
   * The JVM's own arguments. To ask the JVM for them takes some 50 ms of processor time, and almost
   * never is one of them among these; so it is asked only where the command line may not show all.
   */
  private static List<String> arguments() {
    ProcessHandle.Info process = ProcessHandle.current().info();
    String[] line = process.arguments().orElse(null);
    boolean shown =
        line != null
            && process.command().filter(command -> command.endsWith("/java")).isPresent()
            && ENVIRONMENT.stream().allMatch(name -> System.getenv(name) == null)
            && Stream.of(line)
                .noneMatch(
                    argument ->
                        argument.startsWith("@")
                            || argument.startsWith(FILE)
                            || argument.startsWith(FLAGS)
                            || argument.startsWith(DIRECT));
    if (shown) {
      return List.of();
    }
    try {
      return ManagementFactory.getRuntimeMXBean().getInputArguments();
    } catch (LinkageError | SecurityException e) {
      return List.of(); // no module java.management: by default it is as large as the heap
    }
  }

  /** A size as the JVM's options give it; 0 if it is none. */
  static long parse(String text) {
    String size = text.toLowerCase(Locale.ROOT);
    int shift = size.isEmpty() ? 0 : 10 * ("kmgt".indexOf(size.charAt(size.length() - 1)) + 1);
    try {
      return Long.parseLong(shift == 0 ? size : size.substring(0, size.length() - 1)) << shift;
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
