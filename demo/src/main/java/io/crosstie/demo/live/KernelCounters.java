// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The kernel's own counters of an interface, which know nothing of Crosstie.
 *
 * @param rxBytes bytes received
 * @param txBytes bytes sent
 */
record KernelCounters(long rxBytes, long txBytes) {
  private static final Path FILE = Path.of("/proc/net/dev");
  private static final int RX_BYTES = 0;
  private static final int TX_BYTES = 8;

  static final KernelCounters NONE = new KernelCounters(0, 0);

  /** Those of all interfaces of this host, by the interface's name. */
  static Map<String, KernelCounters> read() {
    Map<String, KernelCounters> all = new HashMap<>();
    try {
      for (String line : Files.readAllLines(FILE)) {
        int colon = line.indexOf(':');
        if (colon > 0) {
          String[] fields = line.substring(colon + 1).strip().split("\\s+", -1);
          all.put(
              line.substring(0, colon).strip(),
              new KernelCounters(
                  Long.parseLong(fields[RX_BYTES]), Long.parseLong(fields[TX_BYTES])));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return all;
  }
}
