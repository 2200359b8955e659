// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Byte buffers over native memory of this process alone, which the intrinsics of the JDK may read
 * where it lies. Mapped memory has none: another process may truncate the file behind it, and an
 * intrinsic that reads what has gone ends the JVM.
 *
 * <p>Buffers are remembered, weakly, for the few segments that the same thread sums again and
 * again; so nothing is allocated in the steady state, and no memory is kept alive.
 */
final class PrivateViews {
  /** Room for the chunks of a full window, which messages go through in turn. */
  private static final int SLOTS = 128;

  /** So many segments may share a home without driving each other out. */
  private static final int WAYS = 4;

  private static final int HASH_SHIFT = Long.SIZE - Integer.numberOfTrailingZeros(SLOTS);
  private static final long GOLDEN = 0x9E3779B97F4A7C15L; // 2^64 / golden ratio: Knuth, TAOCP 6.4

  private static final class View {
    final MemorySegment segment;
    final ByteBuffer buffer;

    View(MemorySegment segment) {
      this.segment = segment;
      this.buffer = segment.asByteBuffer();
    }

    @SuppressWarnings({
      "ReferenceEquality",
      "MemorySegmentReferenceEquality"
    }) // the quickest answer
    boolean isOf(MemorySegment other) {
      // equal segments have one address, and the arena of the one met before may be closed
      return segment == other || (segment.equals(other) && segment.scope().isAlive());
    }
  }

  private final @Nullable WeakReference<View>[] views = newArray();
  private int turn;

  @SuppressWarnings({"unchecked", "rawtypes"}) // there is no array of a generic type
  private static @Nullable WeakReference<View>[] newArray() {
    return new WeakReference[SLOTS];
  }

  /** A buffer whose indexes are the segment's offsets, or null if there is none. */
  @Nullable ByteBuffer of(MemorySegment segment) {
    int home = (int) ((segment.address() * GOLDEN) >>> HASH_SHIFT);
    for (int way = 0; way < WAYS; way++) {
      View view = at(home ^ way);
      if (view != null && view.isOf(segment)) {
        return view.buffer;
      }
    }
    if (!segment.isNative() || segment.isMapped() || segment.byteSize() > Integer.MAX_VALUE) {
      return null;
    }
    View made = new View(segment);
    views[home ^ victim(home)] = new WeakReference<>(made);
    return made.buffer;
  }

  private @Nullable View at(int slot) {
    WeakReference<View> reference = views[slot];
    return reference == null ? null : reference.get();
  }

  /** A way that is of no use any more, or else each in turn. */
  private int victim(int home) {
    for (int way = 0; way < WAYS; way++) {
      View view = at(home ^ way);
      if (view == null || !view.segment.scope().isAlive()) {
        return way;
      }
    }
    return turn++ & (WAYS - 1);
  }
}
