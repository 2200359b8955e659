// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

/** The lengths of the messages of one frame. */
@FunctionalInterface
public interface MessageLengths {
  /** Length of the n-th message in bytes, counted from 0. */
  long length(int index);

  /** Whether any of them has a header. */
  default boolean hasHeaders() {
    return false;
  }

  /** How many of the n-th message's first bytes are header. */
  default int headerLength(int index) {
    return 0;
  }
}
