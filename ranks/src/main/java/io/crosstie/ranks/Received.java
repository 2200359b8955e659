// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

/**
 * What a receive has got, or a probe has found.
 *
 * @param source the rank in the communicator that it came from; -1 for a send
 * @param tag its tag; -1 for a send
 * @param bytes its length; 0 for a send
 */
public record Received(int source, int tag, long bytes) {
  static final Received NOTHING = new Received(-1, -1, 0);

  /**
   * How many elements it has.
   *
   * @throws IllegalArgumentException if it is no whole number of them
   */
  public long count(ElementType type) {
    if (bytes % type.bytes() != 0) {
      throw new IllegalArgumentException(
          bytes + " bytes are no whole number of elements of type " + type);
    }
    return bytes / type.bytes();
  }
}
