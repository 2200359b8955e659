// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.checksum.Checksum;
import java.lang.foreign.MemorySegment;

/** Where the bytes of a received fragment are until they are in their place. */
public interface FragmentSource {
  /** Result: they could not be had. */
  long FAILED = -1;

  /**
   * Copies them.
   *
   * @param into private memory
   * @param at offset in it
   * @param length in bytes, at least 1
   * @return the checksum of what was written, as an unsigned int, or {@link #FAILED}; then part of
   *     the destination may have been written
   */
  long copy(MemorySegment into, long at, int length, Checksum algorithm);
}
