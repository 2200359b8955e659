// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

/**
 * A counter of interfaces that come and go, each of which begins at 0, as one that only grows. Not
 * thread safe.
 */
final class KernelTotal {
  private long total;
  private long last;
  private int interfaceIndex;

  /** Takes the counter of the interface that there is, and returns the total. */
  long update(int index, long value) {
    boolean goesOn = index == interfaceIndex && value >= last;
    total += goesOn ? value - last : value;
    interfaceIndex = index;
    last = value;
    return total;
  }

  /** The total while there is no interface. */
  long total() {
    return total;
  }
}
