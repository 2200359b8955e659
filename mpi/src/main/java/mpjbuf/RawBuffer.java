// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpjbuf;

import java.nio.ByteBuffer;

/** Memory for a {@link Buffer}. */
public final class RawBuffer {
  private final ByteBuffer memory;

  RawBuffer(int capacity) {
    memory = ByteBuffer.allocateDirect(capacity);
  }

  /** How many bytes it has. */
  public int getCapacity() {
    return memory.capacity();
  }

  /** So many bytes from one on. */
  ByteBuffer slice(int offset, int bytes) {
    return memory.slice(offset, bytes);
  }
}
