// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package mpjbuf;

import java.nio.ByteBuffer;

/**
 * MPJ Express's buffer of a packed message: what {@code Pack} and {@code Unpack} take, and sends
 * and receives of {@code MPI.PACKED}. Its sections, and MPJ's other ways to fill it, are not here.
 * One thread at a time.
 */
public final class Buffer {
  private final RawBuffer raw;
  private final ByteBuffer bytes;

  /**
   * A part of some memory, which it shares.
   *
   * @param staticBuffer the memory
   * @param offset where it begins, in bytes
   * @param capacity where it ends, in bytes of the memory
   * @throws IllegalArgumentException if the memory is null
   * @throws IndexOutOfBoundsException if the memory has no such part
   */
  public Buffer(RawBuffer staticBuffer, int offset, int capacity) {
    if (staticBuffer == null) {
      throw new IllegalArgumentException("the memory is null: BufferFactory.create gives some");
    }
    raw = staticBuffer;
    bytes = staticBuffer.slice(offset, capacity - offset);
  }

  /** The memory it is a part of. */
  public RawBuffer getStaticBuffer() {
    return raw;
  }

  /** Its bytes, shared. */
  public ByteBuffer getBytes() {
    return bytes.duplicate();
  }
}
