// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.Pieces;
import java.lang.foreign.MemorySegment;

/**
 * A message whose bytes lie in several places, of which a header may be the first. Make one and use
 * it again and again; nothing is copied before {@link Channel#offer(Gather)}, and no memory is
 * needed for it then:
 *
 * <pre>{@code
 * gather.clear().header(envelope, 0, 16).add(body, 0, 1000).add(tail, 64, 8);
 * long sequence = channel.offer(gather);
 * }</pre>
 *
 * <p>Not thread safe.
 */
public final class Gather {
  /** Longest header in bytes. */
  public static final int MAX_HEADER_BYTES = 32;

  private final Pieces pieces = new Pieces();

  /** An empty message without a header. */
  public Gather() {}

  /** Forgets header and pieces. */
  public Gather clear() {
    pieces.clear();
    return this;
  }

  /**
   * Sets the header, which the peer's handler is told apart from the message; before any piece.
   *
   * @param segment any memory
   * @param offset of the first byte
   * @param length in bytes, 0 to {@value #MAX_HEADER_BYTES}
   */
  public Gather header(MemorySegment segment, long offset, int length) {
    if (length < 0 || length > MAX_HEADER_BYTES) {
      throw new IllegalArgumentException(
          "a header has 0 to "
              + MAX_HEADER_BYTES
              + " bytes, not "
              + length
              + "; put the rest into"
              + " the message");
    }
    if (pieces.count() > 0) {
      throw new IllegalStateException("the header comes first; call clear() before header()");
    }
    pieces.add(segment, offset, length);
    pieces.headerLength(length);
    return this;
  }

  /** Puts a piece of the message behind those before it; any memory. */
  public Gather add(MemorySegment segment, long offset, long length) {
    pieces.add(segment, offset, length);
    return this;
  }

  /** Bytes of header and message together. */
  public long byteSize() {
    return pieces.total();
  }

  Pieces pieces() {
    return pieces;
  }
}
