// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies by streaming (non-temporal) stores, which write whole cache lines to memory without
 * fetching them first. Where the destination's lines are held by another core, an ordinary store
 * has to take each of them away from it; between cores that share no cache that is ten times
 * slower.
 *
 * <p>No function of the C library makes such stores for less than many megabytes, nor does the JVM.
 * So this class holds the machine code of a loop of twelve instructions, for x86-64 (SSE2, which
 * all of them have). Where a system forbids that, or on another processor, {@link #isAvailable()}
 * is false, and callers copy as usual. {@link Checksum#updateShared} sums what it streams, too.
 *
 * <p>Source and destination have to be memory that cannot be taken away, such as that of this
 * process alone or a sealed memfd: a fault in the loop ends the process. Any thread.
 */
public final class StreamingCopy {
  /** Bytes of a cache line. Only whole lines of the destination are streamed. */
  private static final int LINE = 64;

  /**
   * {@code void copy(char *to, long toOffset, const char *from, long fromOffset, long length)},
   * length a multiple of 64 above 0, destination aligned to 64 (System V ABI: rdi, rsi, rdx, rcx,
   * r8; changes xmm0 to xmm3, which belong to the callee).
   */
  private static final String CODE =
      "f30f1efa" // endbr64
          + "4801f7" // add rdi, rsi
          + "4801ca" // add rdx, rcx
          + "f30f6f02" // next: movdqu xmm0, [rdx]
          + "f30f6f4a10" // movdqu xmm1, [rdx + 16]
          + "f30f6f5220" // movdqu xmm2, [rdx + 32]
          + "f30f6f5a30" // movdqu xmm3, [rdx + 48]
          + "660fe707" // movntdq [rdi], xmm0
          + "660fe74f10" // movntdq [rdi + 16], xmm1
          + "660fe75720" // movntdq [rdi + 32], xmm2
          + "660fe75f30" // movntdq [rdi + 48], xmm3
          + "4883c240" // add rdx, 64
          + "4883c740" // add rdi, 64
          + "4983e840" // sub r8, 64
          + "75cc" // jne next
          + "c3"; // ret

  /** {@code void fence(void)}. */
  private static final String FENCE =
      "f30f1efa" // endbr64
          + "0faef8" // sfence
          + "c3"; // ret

  private static final @Nullable MethodHandle COPY =
      MachineCode.function(
          CODE, FunctionDescriptor.ofVoid(ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG));
  private static final @Nullable MethodHandle ORDER =
      MachineCode.function(FENCE, FunctionDescriptor.ofVoid());

  private StreamingCopy() {}

  /** Whether {@link #copy} can be called. */
  public static boolean isAvailable() {
    return COPY != null && ORDER != null;
  }

  /**
   * Copies. Others may see what is stored later before they see what this wrote, until {@link
   * #order()} was called.
   *
   * @param source native memory that nobody can truncate: {@link MemorySegment#isMapped()} is false
   * @param destination native memory that does not overlap, of the same kind
   * @throws IllegalStateException if the source's arena was closed
   */
  public static void copy(
      MemorySegment source, long offset, MemorySegment destination, long at, long length) {
    Objects.checkFromIndexSize(offset, length, source.byteSize());
    Objects.checkFromIndexSize(at, length, destination.byteSize());
    long head = Math.min(length, -(destination.address() + at) & (LINE - 1));
    long lines = (length - head) & -LINE;
    long tail = length - head - lines;
    if (head > 0) {
      MemorySegment.copy(source, offset, destination, at, head);
    }
    if (lines > 0) {
      MethodHandle copy = COPY;
      if (copy == null) {
        throw new IllegalStateException("streaming stores are not available here");
      }
      try {
        copy.invokeExact(destination, at + head, source, offset + head, lines);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new IllegalStateException(t);
      }
    }
    if (tail > 0) {
      long done = head + lines;
      MemorySegment.copy(source, offset + done, destination, at + done, tail);
    }
  }

  /** What is stored after this is seen after all that was streamed before. */
  public static void order() {
    MethodHandle order = ORDER;
    if (order != null) {
      try {
        order.invokeExact();
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable t) {
        throw new IllegalStateException(t);
      }
    }
  }
}
