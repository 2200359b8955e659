// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Reads this very process as {@link PeerMemory} reads another: by the system's call, which answers
 * for every address. Where both ends of a rail are in one process, as in a simulator. Any thread.
 */
public final class OwnMemory {
  private static final int SELF = (int) ProcessHandle.current().pid();

  private static final ThreadLocal<@Nullable PeerMemory> MEMORY =
      ThreadLocal.withInitial(OwnMemory::open);

  private OwnMemory() {}

  private static @Nullable PeerMemory open() {
    try {
      PeerMemory memory = new PeerMemory(new SplittableRandom(1));
      return memory.canReadItself(SELF) ? memory : null;
    } catch (RuntimeException | LinkageError e) { // native access is denied, or another system
      return null;
    }
  }

  /** Whether the system permits it. */
  public static boolean isReadable() {
    return MEMORY.get() != null;
  }

  /**
   * Copies.
   *
   * @param into native memory
   * @return false if not all of it could be read
   */
  public static boolean read(long address, MemorySegment into, long offset, long length) {
    PeerMemory memory = MEMORY.get();
    return memory != null && memory.read(SELF, address, into, offset, length);
  }
}
