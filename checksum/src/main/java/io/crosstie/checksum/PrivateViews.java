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
  private static final int SLOTS = 32;

  private static final class View {
    final MemorySegment segment;
    final ByteBuffer buffer;

    View(MemorySegment segment) {
      this.segment = segment;
      this.buffer = segment.asByteBuffer();
    }
  }

  private final @Nullable WeakReference<View>[] views = newArray();

  @SuppressWarnings({"unchecked", "rawtypes"}) // there is no array of a generic type
  private static @Nullable WeakReference<View>[] newArray() {
    return new WeakReference[SLOTS];
  }

  /** A buffer whose indexes are the segment's offsets, or null if there is none. */
  @Nullable ByteBuffer of(MemorySegment segment) {
    long address = segment.address();
    int slot = (int) (address >>> 6 ^ address >>> 16 ^ address >>> 20) & (SLOTS - 1);
    WeakReference<View> reference = views[slot];
    View view = reference == null ? null : reference.get();
    // equal segments have one address, and the arena of the one met before may be closed
    if (view != null && view.segment.equals(segment) && view.segment.scope().isAlive()) {
      return view.buffer;
    }
    if (!segment.isNative() || segment.isMapped() || segment.byteSize() > Integer.MAX_VALUE) {
      return null;
    }
    View made = new View(segment);
    views[slot] = new WeakReference<>(made);
    return made.buffer;
  }
}
