// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.accelerator.x86;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Copies and takes the CRC-32C of what it copies in one pass: each byte is loaded once, summed and
 * stored, by ordinary or by streaming stores ({@link StreamingCopy}). So the sum is that of the
 * bytes stored, even where another process changes the source meanwhile, and it hides behind the
 * copy nearly always; the JDK's intrinsic has to read everything once more.
 *
 * <p>It takes VPCLMULQDQ, with registers of 512 bits ({@code crc32c-avx512.s}, where the algorithm
 * is told) or, on processors that have none, of 256 ({@code crc32c-avx2.s}). Where both can be had,
 * registers of 512 bits are up to twice as quick.
 *
 * @param name the kind of registers
 * @param ordinary the function that makes ordinary stores
 * @param streaming the function that makes streaming ones
 */
record CopyingCrc32c(String name, MethodHandle ordinary, MethodHandle streaming) {
  /**
   * Bytes per call. No safepoint is reached within one: this takes some microseconds, or some ten
   * where each line has to be fetched from another core.
   */
  private static final long BLOCK = 64 << 10;

  /** The quickest that this processor can do, or null. Made anew: milliseconds. */
  static @Nullable CopyingCrc32c best() {
    CopyingCrc32c avx512 = avx512();
    return avx512 != null ? avx512 : avx2();
  }

  /** By registers of 512 bits, or null if the processor has none. */
  static @Nullable CopyingCrc32c avx512() {
    return MachineCode.processorHas("sse4_2", "avx2", "vpclmulqdq", "avx512f", "avx512vl")
        ? new CopyingCrc32c("AVX-512", link(Loops.COPY_AVX512), link(Loops.STREAM_AVX512))
        : null;
  }

  /** By registers of 256 bits, or null if the processor has no such instructions. */
  static @Nullable CopyingCrc32c avx2() {
    return MachineCode.processorHas("sse4_2", "avx2", "vpclmulqdq")
        ? new CopyingCrc32c("AVX2", link(Loops.COPY_AVX2), link(Loops.STREAM_AVX2))
        : null;
  }

  private static MethodHandle link(String code) {
    return MachineCode.function(MachineCode.bytes(code));
  }

  /** See {@link X86Accelerator#copyCrc32c}. */
  int copy(
      int state,
      MemorySegment source,
      long offset,
      MemorySegment destination,
      long at,
      long length,
      boolean streams) {
    Objects.checkFromIndexSize(offset, length, source.byteSize());
    Objects.checkFromIndexSize(at, length, destination.byteSize());
    int next = state;
    try {
      for (long done = 0; done < length; done += BLOCK) {
        long n = Math.min(BLOCK, length - done);
        next =
            streams
                ? (int)
                    streaming.invokeExact(destination, at + done, source, offset + done, n, next)
                : (int)
                    ordinary.invokeExact(destination, at + done, source, offset + done, n, next);
      }
      return next;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable t) {
      throw new IllegalStateException(t);
    }
  }
}
