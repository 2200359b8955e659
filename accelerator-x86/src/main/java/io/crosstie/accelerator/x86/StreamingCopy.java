// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;

/**
 * Copies by streaming (non-temporal) stores, which write whole cache lines to memory without
 * fetching them first. Where the destination's lines are held by another core, an ordinary store
 * has to take each of them away from it; between cores that share no cache that is ten times
 * slower.
 *
 * <p>No function of the C library makes such stores for less than many megabytes, nor does the JVM;
 * the loop ({@code stream-copy.s}) takes SSE2, which all x86-64 have.
 *
 * @param lines the loop
 * @param fence what orders its stores
 */
record StreamingCopy(MethodHandle lines, MethodHandle fence) {
  /** Bytes of a cache line. Only whole lines of the destination are streamed. */
  private static final int LINE = 64;

  /** See {@link MachineCode#function} for what it throws. */
  static StreamingCopy link() {
    return new StreamingCopy(
        MachineCode.function(MachineCode.bytes(Loops.STREAM_COPY)),
        MachineCode.function(MachineCode.bytes(Loops.ORDER)));
  }

  /** See {@link X86Accelerator#stream}. */
  void copy(MemorySegment source, long offset, MemorySegment destination, long at, long length) {
    Objects.checkFromIndexSize(offset, length, source.byteSize());
    Objects.checkFromIndexSize(at, length, destination.byteSize());
    long head = Math.min(length, -(destination.address() + at) & (LINE - 1));
    long whole = (length - head) & -LINE;
    long tail = length - head - whole;
    if (head > 0) {
      MemorySegment.copy(source, offset, destination, at, head);
    }
    if (whole > 0) {
      try {
        int unused =
            (int) lines.invokeExact(destination, at + head, source, offset + head, whole, 0);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new IllegalStateException(t);
      }
    }
    if (tail > 0) {
      long done = head + whole;
      MemorySegment.copy(source, offset + done, destination, at + done, tail);
    }
  }

  /** See {@link X86Accelerator#order}. */
  void order() {
    try {
      MemorySegment none = MemorySegment.NULL;
      int unused = (int) fence.invokeExact(none, 0L, none, 0L, 0L, 0);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
