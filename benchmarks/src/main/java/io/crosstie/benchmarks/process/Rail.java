// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.util.Locale;

/** Over what two processes are joined. */
public enum Rail {
  /** Loopback. */
  UDP,
  /** Shared memory. */
  SHM;

  /** Its name in results. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
