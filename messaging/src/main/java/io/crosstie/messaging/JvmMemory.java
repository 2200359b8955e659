// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.management.ManagementFactory;
import java.util.Locale;

/** What memory the JVM may take. */
final class JvmMemory {
  private static final String DIRECT = "-XX:MaxDirectMemorySize=";

  private JvmMemory() {}

  /** The lesser of its largest heap and of its bound of direct memory, in bytes. */
  static long bytes() {
    long heap = Runtime.getRuntime().maxMemory();
    long direct = 0;
    try {
      for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
        direct = argument.startsWith(DIRECT) ? parse(argument.substring(DIRECT.length())) : direct;
      }
    } catch (LinkageError | SecurityException e) {
      direct = 0; // the module java.management is not there: by default it is as large as the heap
    }
    return direct > 0 ? Math.min(heap, direct) : heap;
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
