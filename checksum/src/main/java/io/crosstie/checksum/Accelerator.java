// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Loops over native memory that Java cannot make as quick: an optional artifact provides them, by
 * {@link java.util.ServiceLoader}, and {@link Accelerators#find()} finds it. Without one everything
 * works the same, and some copies take longer.
 *
 * <p><b>Memory.</b> A fault in such a loop ends the process. So both ranges have to be native
 * memory that nobody can take away: allocated by Crosstie, or sealed by it. Neither a mapping of a
 * file nor memory that an application lent, which may be such a mapping, is ever given to one. The
 * ranges do not overlap. Each method throws {@link IndexOutOfBoundsException} if a range does not
 * lie in its segment, and {@link IllegalStateException} if an arena was closed.
 *
 * <p><b>Time.</b> An implementation lets the JVM reach a safepoint at least every 64 KiB.
 *
 * <p>Any thread. Instances have no state that changes.
 */
public interface Accelerator {

  /** What it is, for people: the artifact, and which instructions. */
  String name();

  /**
   * Why it cannot be used in this process (another processor, native access denied), as the rest of
   * a sentence that names the remedy, or null if it can. The methods below are called only then.
   */
  default @Nullable String whyUnavailable() {
    return null;
  }

  /** Whether {@link #copyCrc32c} can be called on this processor. */
  default boolean sumsCopies() {
    return false;
  }

  /**
   * Copies, and continues a CRC-32C with the bytes stored, each of which is loaded once.
   *
   * @param state the register of the computation so far: all ones at its beginning, and its
   *     complement is the checksum in the end
   * @param source native memory that stays
   * @param offset where the range starts in it, in bytes
   * @param destination native memory that stays
   * @param at where the copy starts in it, in bytes
   * @param length in bytes, above 0
   * @param streaming whether by streaming stores, as {@link #stream} makes them
   * @return the register of the computation
   * @throws UnsupportedOperationException if it cannot, see {@link #sumsCopies()}
   */
  default int copyCrc32c(
      int state,
      MemorySegment source,
      long offset,
      MemorySegment destination,
      long at,
      long length,
      boolean streaming) {
    throw new UnsupportedOperationException(name() + " does not sum on this processor");
  }

  /**
   * Copies by streaming (non-temporal) stores, which do not fetch a cache line before they write
   * it. What this thread stores later may be seen by others before them, until {@link #order()} was
   * called.
   *
   * @param source native memory that stays
   * @param offset where the range starts in it, in bytes
   * @param destination native memory that stays
   * @param at where the copy starts in it, in bytes
   * @param length in bytes
   */
  void stream(MemorySegment source, long offset, MemorySegment destination, long at, long length);

  /** What this thread stores after this is seen after all that it streamed before. */
  default void order() {}
}
