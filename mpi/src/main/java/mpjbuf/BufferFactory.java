// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpjbuf;

/** Makes memory for packed messages. */
public final class BufferFactory {
  private BufferFactory() {}

  /**
   * Direct memory of so many bytes, at least 0.
   *
   * @throws IllegalArgumentException if there are fewer
   */
  public static RawBuffer create(int capacity) {
    return new RawBuffer(capacity);
  }

  /** Gives it up: the collector takes it once nobody holds it. */
  public static void destroy(RawBuffer buffer) {
    // nothing is held
  }
}
