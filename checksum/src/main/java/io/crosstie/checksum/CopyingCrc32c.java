// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * Copies and takes the CRC-32C of what it copies in one pass: each byte is loaded once, summed and
 * stored, by ordinary or by streaming stores ({@link StreamingCopy}). So the sum is that of the
 * bytes stored, even where another process changes the source meanwhile, and it hides behind the
 * copy nearly always; the JDK's intrinsic has to read everything once more.
 *
 * <p>The sum is computed by carry-less multiplication: Gopal, Ozturk, Guilford, Wolrich, Feghali,
 * Dixon and Karakoyunlu, "Fast CRC Computation for Generic Polynomials Using PCLMULQDQ
 * Instruction", Intel 2009. Four registers, made of lanes of 128 bits, hold what is congruent to
 * the bytes so far; a lane moves n bits forward by the product of its first half with
 * x<sup>n+63</sup> and that of its second half with x<sup>n-1</sup>, both modulo the polynomial
 * (the exponents are one less than the distance since the product of two numbers whose bits are
 * reversed comes out one bit too low). In the end the registers are folded into one lane, which two
 * {@code crc32} instructions reduce.
 *
 * <p>It takes VPCLMULQDQ, with registers of 512 bits ({@link FoldingAvx512}) or, on processors that
 * have none, of 256 ({@link FoldingAvx2}); where there is neither nothing is lost but time.
 *
 * <p>A fault in the loop ends the process. So both memories have to be such that nobody can take
 * them away: private ones, or sealed. Any thread.
 *
 * @param name the kind of registers
 * @param ordinary the function that makes ordinary stores
 * @param streaming the function that makes streaming ones
 */
record CopyingCrc32c(String name, MethodHandle ordinary, MethodHandle streaming) {
  /** Below that many bytes a call costs more than it gains. */
  static final int LEAST_BYTES = 512;

  /**
   * Bytes per call. No safepoint is reached within one: this takes some microseconds, or some ten
   * where each line has to be fetched from another core.
   */
  private static final long BLOCK = 64 << 10;

  /**
   * {@code int copy(char *to, long toOffset, const char *from, long fromOffset, long length, int
   * state)} (System V ABI: rdi, rsi, rdx, rcx, r8, r9; changes those but r9, rax, and the first
   * seven vector registers, all of which belong to the callee): the new state.
   */
  private static final String ENTRY =
      "f30f1efa" // endbr64
          + "4801f7" // add rdi, rsi
          + "4801ca" // add rdx, rcx
          + "4489c8"; // mov eax, r9d

  /** Ordinary stores gain by alignment only where there are many of them. */
  private static final String SKIPS_HEAD =
      "4981f800200000" // cmp r8, 8192
          + "7218"; // jb whole

  /** Up to the destination's next cache line; what copies few bytes is called next. */
  private static final String HEAD =
      "4889f9" // mov rcx, rdi
          + "48f7d9" // neg rcx
          + "83e13f" // and ecx, 63
          + "4c39c1" // cmp rcx, r8
          + "490f47c8" // cmova rcx, r8
          + "4929c8"; // sub r8, rcx

  /** One lane of 128 bits, in xmm0, becomes the state; fewer than 16 bytes follow. */
  static final String REDUCTION =
      "31c0" // no16: xor eax, eax
          + "c4e1f97ec1" // vmovq rcx, xmm0
          + "f2480f38f1c1" // crc32 rax, rcx
          + "c4e3f916c101" // vpextrq rcx, xmm0, 1
          + "f2480f38f1c1" // crc32 rax, rcx
          + "c5f877" // vzeroupper
          + "4489c1" // mov ecx, r8d
          + "83e10f" // and ecx, 15
          + "eb07"; // jmp few

  /** The function that copies the rcx bytes which no register is wide enough for. */
  static final String FEW =
      "4883e908" // few: sub rcx, 8
          + "721a" // jb rest
          + "488b32" // words: mov rsi, [rdx]
          + "488937" // mov [rdi], rsi
          + "f2480f38f1c6" // crc32 rax, rsi
          + "4883c208" // add rdx, 8
          + "4883c708" // add rdi, 8
          + "4883e908" // sub rcx, 8
          + "73e6" // jae words
          + "83c108" // rest: add ecx, 8
          + "7416" // je end
          + "0fb632" // single: movzx esi, byte ptr [rdx]
          + "408837" // mov [rdi], sil
          + "f2400f38f0c6" // crc32 eax, sil
          + "48ffc2" // inc rdx
          + "48ffc7" // inc rdi
          + "ffc9" // dec ecx
          + "75ea" // jne single
          + "c3"; // end: ret

  /** The quickest that this processor and system can do, or null. Made anew: milliseconds. */
  static @Nullable CopyingCrc32c best() {
    CopyingCrc32c avx512 = avx512();
    return avx512 != null ? avx512 : avx2();
  }

  /** By registers of 512 bits, or null if these cannot be had. */
  static @Nullable CopyingCrc32c avx512() {
    return MachineCode.processorHas("sse4_2", "avx2", "vpclmulqdq", "avx512f", "avx512vl")
        ? of(
            "AVX-512",
            FoldingAvx512.CALL_FEW,
            FoldingAvx512.body(FoldingAvx512.ORDINARY_STORE),
            FoldingAvx512.body(FoldingAvx512.STREAMING_STORE))
        : null;
  }

  /** By registers of 256 bits, or null if these cannot be had. */
  static @Nullable CopyingCrc32c avx2() {
    return MachineCode.processorHas("sse4_2", "avx2", "vpclmulqdq")
        ? of(
            "AVX2",
            FoldingAvx2.CALL_FEW,
            FoldingAvx2.body(FoldingAvx2.ORDINARY_STORE),
            FoldingAvx2.body(FoldingAvx2.STREAMING_STORE))
        : null;
  }

  private static @Nullable CopyingCrc32c of(
      String name, String callFew, String ordinary, String streaming) {
    MethodHandle first = link(ENTRY + SKIPS_HEAD + HEAD + callFew + ordinary);
    MethodHandle second = link(ENTRY + HEAD + callFew + streaming);
    return first != null && second != null ? new CopyingCrc32c(name, first, second) : null;
  }

  private static @Nullable MethodHandle link(String code) {
    return MachineCode.function(
        code,
        FunctionDescriptor.of(
            JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT));
  }

  /** Whether none of the memory is such that it needs the JDK's care. */
  static boolean takes(MemorySegment source, MemorySegment destination) {
    return isSafe(source) && isSafe(destination) && !destination.isReadOnly();
  }

  /** Neither memory that the collector moves nor a file that somebody may truncate. */
  private static boolean isSafe(MemorySegment segment) {
    return segment.isNative() && !segment.isMapped();
  }

  /**
   * Copies. What is streamed has to be ordered: {@link StreamingCopy#order()}.
   *
   * @param state the register of the computation so far
   * @param source one that {@link #takes} allowed, as is the destination
   * @param length in bytes, above 0; both ranges were checked
   * @return the register of the computation
   * @throws IllegalStateException if an arena was closed
   */
  int copy(
      int state,
      MemorySegment source,
      long offset,
      MemorySegment destination,
      long at,
      long length,
      boolean streams) {
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
