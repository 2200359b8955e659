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
 * Instruction", Intel 2009. Four registers of 64 bytes, made of lanes of 128 bits, hold what is
 * congruent to the bytes so far; a lane moves n bits forward by the product of its first half with
 * x<sup>n+63</sup> and that of its second half with x<sup>n-1</sup>, both modulo the polynomial
 * (the exponents are one less than the distance since the product of two numbers whose bits are
 * reversed comes out one bit too low). In the end the registers are folded into one lane, which two
 * {@code crc32} instructions reduce.
 *
 * <p>It takes AVX-512 with VPCLMULQDQ, on which the JDK's intrinsic rests, too; without those it is
 * unavailable, and nothing is lost but time. With registers of 256 bits it is half as quick on Zen
 * 4.
 *
 * <p>A fault in the loop ends the process. So both memories have to be such that nobody can take
 * them away: private ones, or sealed. Any thread.
 */
final class CopyingCrc32c {
  /** Below that many bytes a call costs more than it gains. */
  static final int LEAST_BYTES = 512;

  /**
   * Bytes per call. No safepoint is reached within one: this takes some microseconds, or some ten
   * where each line has to be fetched from another core.
   */
  private static final long BLOCK = 64 << 10;

  /**
   * {@code int copy(char *to, long toOffset, const char *from, long fromOffset, long length, int
   * state)} (System V ABI: rdi, rsi, rdx, rcx, r8, r9; changes those but r9, rax, and zmm0 to zmm6,
   * all of which belong to the callee): the new state.
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

  /** Up to the destination's next cache line. */
  private static final String HEAD =
      "4889f9" // mov rcx, rdi
          + "48f7d9" // neg rcx
          + "83e13f" // and ecx, 63
          + "4c39c1" // cmp rcx, r8
          + "490f47c8" // cmova rcx, r8
          + "4929c8" // sub r8, rcx
          + "e896020000"; // call few

  /** A store of zmm registers relative to rdi, but for the byte or two that say which and where. */
  private static final String ORDINARY_STORE = "62f1fe487f"; // vmovdqu64

  private static final String STREAMING_STORE = "62f17d48e7"; // vmovntdq

  private static final boolean SUPPORTED =
      MachineCode.processorHas("sse4_2", "avx2", "avx512f", "avx512vl", "vpclmulqdq");
  private static final @Nullable MethodHandle ORDINARY =
      link(ENTRY + SKIPS_HEAD + HEAD + body(ORDINARY_STORE));
  private static final @Nullable MethodHandle STREAMING =
      link(ENTRY + HEAD + body(STREAMING_STORE));

  private CopyingCrc32c() {}

  private static @Nullable MethodHandle link(String code) {
    return SUPPORTED
        ? MachineCode.function(
            code,
            FunctionDescriptor.of(
                JAVA_INT, ADDRESS, JAVA_LONG, ADDRESS, JAVA_LONG, JAVA_LONG, JAVA_INT))
        : null;
  }

  /**
   * The copy itself. Where bytes are streamed, a store stands behind the multiplications: right
   * behind its load it halves the rate.
   */
  private static String body(String store) {
    return "4981e800010000" // whole: sub r8, 256
        + "0f8282020000" // jb brief
        + "62f27d485a25bb020000" // vbroadcasti32x4 zmm4, [rip + k2048]
        + "62f1fe486f02" // vmovdqu64 zmm0, [rdx]
        + "62f1fe486f4a01" // vmovdqu64 zmm1, [rdx + 64]
        + "62f1fe486f5202" // vmovdqu64 zmm2, [rdx + 128]
        + "62f1fe486f5a03" // vmovdqu64 zmm3, [rdx + 192]
        + store
        + "07" // store [rdi], zmm0
        + store
        + "4f01" // store [rdi + 64], zmm1
        + store
        + "5702" // store [rdi + 128], zmm2
        + store
        + "5f03" // store [rdi + 192], zmm3
        + "c5f96ee8" // vmovd xmm5, eax
        + "62f1fd48efc5" // vpxorq zmm0, zmm0, zmm5
        + "e98a000000" // jmp advance
        + "62f1fe486f32" // next: vmovdqu64 zmm6, [rdx]
        + "62f37d4844ec00" // vpclmulqdq zmm5, zmm0, zmm4, 0
        + "62f37d4844c411" // vpclmulqdq zmm0, zmm0, zmm4, 17
        + store
        + "37" // store [rdi], zmm6
        + "62f3d54825c696" // vpternlogq zmm0, zmm5, zmm6, 150
        + "62f1fe486f7201" // vmovdqu64 zmm6, [rdx + 64]
        + "62f3754844ec00" // vpclmulqdq zmm5, zmm1, zmm4, 0
        + "62f3754844cc11" // vpclmulqdq zmm1, zmm1, zmm4, 17
        + store
        + "7701" // store [rdi + 64], zmm6
        + "62f3d54825ce96" // vpternlogq zmm1, zmm5, zmm6, 150
        + "62f1fe486f7202" // vmovdqu64 zmm6, [rdx + 128]
        + "62f36d4844ec00" // vpclmulqdq zmm5, zmm2, zmm4, 0
        + "62f36d4844d411" // vpclmulqdq zmm2, zmm2, zmm4, 17
        + store
        + "7702" // store [rdi + 128], zmm6
        + "62f3d54825d696" // vpternlogq zmm2, zmm5, zmm6, 150
        + "62f1fe486f7203" // vmovdqu64 zmm6, [rdx + 192]
        + "62f3654844ec00" // vpclmulqdq zmm5, zmm3, zmm4, 0
        + "62f3654844dc11" // vpclmulqdq zmm3, zmm3, zmm4, 17
        + store
        + "7703" // store [rdi + 192], zmm6
        + "62f3d54825de96" // vpternlogq zmm3, zmm5, zmm6, 150
        + "4881c200010000" // advance: add rdx, 256
        + "4881c700010000" // add rdi, 256
        + "4981e800010000" // sub r8, 256
        + "0f835bffffff" // jae next
        + "62f27d485a25d7010000" // vbroadcasti32x4 zmm4, [rip + k1024]
        + "62f37d4844ec00" // vpclmulqdq zmm5, zmm0, zmm4, 0
        + "62f37d4844c411" // vpclmulqdq zmm0, zmm0, zmm4, 17
        + "62f3d54825c296" // vpternlogq zmm0, zmm5, zmm2, 150
        + "62f3754844ec00" // vpclmulqdq zmm5, zmm1, zmm4, 0
        + "62f3754844cc11" // vpclmulqdq zmm1, zmm1, zmm4, 17
        + "62f3d54825cb96" // vpternlogq zmm1, zmm5, zmm3, 150
        + "41f6c080" // test r8b, -128
        + "744c" // je no128
        + "62f1fe486f32" // vmovdqu64 zmm6, [rdx]
        + "62f37d4844ec00" // vpclmulqdq zmm5, zmm0, zmm4, 0
        + "62f37d4844c411" // vpclmulqdq zmm0, zmm0, zmm4, 17
        + store
        + "37" // store [rdi], zmm6
        + "62f3d54825c696" // vpternlogq zmm0, zmm5, zmm6, 150
        + "62f1fe486f7201" // vmovdqu64 zmm6, [rdx + 64]
        + "62f3754844ec00" // vpclmulqdq zmm5, zmm1, zmm4, 0
        + "62f3754844cc11" // vpclmulqdq zmm1, zmm1, zmm4, 17
        + store
        + "7701" // store [rdi + 64], zmm6
        + "62f3d54825ce96" // vpternlogq zmm1, zmm5, zmm6, 150
        + "4883ea80" // sub rdx, -128
        + "4883ef80" // sub rdi, -128
        + "62f27d485a2561010000" // no128: vbroadcasti32x4 zmm4, [rip + k512]
        + "62f37d4844ec00" // vpclmulqdq zmm5, zmm0, zmm4, 0
        + "62f37d4844c411" // vpclmulqdq zmm0, zmm0, zmm4, 17
        + "62f3d54825c196" // vpternlogq zmm0, zmm5, zmm1, 150
        + "41f6c040" // test r8b, 64
        + "7429" // je no64
        + "62f1fe486f32" // vmovdqu64 zmm6, [rdx]
        + "62f37d4844ec00" // vpclmulqdq zmm5, zmm0, zmm4, 0
        + "62f37d4844c411" // vpclmulqdq zmm0, zmm0, zmm4, 17
        + store
        + "37" // store [rdi], zmm6
        + "62f3d54825c696" // vpternlogq zmm0, zmm5, zmm6, 150
        + "4883c240" // add rdx, 64
        + "4883c740" // add rdi, 64
        + "c4e27d5a2524010000" // no64: vbroadcasti128 ymm4, [rip + k256]
        + "62f3fd483bc101" // vextracti64x4 ymm1, zmm0, 1
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + "62f3d52825c196" // vpternlogq ymm0, ymm5, ymm1, 150
        + "41f6c020" // test r8b, 32
        + "7423" // je no32
        + "c5fe6f32" // vmovdqu ymm6, [rdx]
        + "c5fe7f37" // vmovdqu [rdi], ymm6
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + "62f3d52825c696" // vpternlogq ymm0, ymm5, ymm6, 150
        + "4883c220" // add rdx, 32
        + "4883c720" // add rdi, 32
        + "c5fa6f25e9000000" // no32: vmovdqu xmm4, [rip + k128]
        + "c4e37d39c101" // vextracti128 xmm1, ymm0, 1
        + "c4e37944ec00" // vpclmulqdq xmm5, xmm0, xmm4, 0
        + "c4e37944c411" // vpclmulqdq xmm0, xmm0, xmm4, 17
        + "62f3d50825c196" // vpternlogq xmm0, xmm5, xmm1, 150
        + "41f6c010" // test r8b, 16
        + "7423" // je no16
        + "c5fa6f32" // vmovdqu xmm6, [rdx]
        + "c5fa7f37" // vmovdqu [rdi], xmm6
        + "c4e37944ec00" // vpclmulqdq xmm5, xmm0, xmm4, 0
        + "c4e37944c411" // vpclmulqdq xmm0, xmm0, xmm4, 17
        + "62f3d50825c696" // vpternlogq xmm0, xmm5, xmm6, 150
        + "4883c210" // add rdx, 16
        + "4883c710" // add rdi, 16
        + "31c0" // no16: xor eax, eax
        + "c4e1f97ec1" // vmovq rcx, xmm0
        + "f2480f38f1c1" // crc32 rax, rcx
        + "c4e3f916c101" // vpextrq rcx, xmm0, 1
        + "f2480f38f1c1" // crc32 rax, rcx
        + "c5f877" // vzeroupper
        + "4489c1" // mov ecx, r8d
        + "83e10f" // and ecx, 15
        + "eb07" // jmp few
        + "498d8800010000" // brief: lea rcx, [r8 + 256]
        + "4883e908" // few: sub rcx, 8
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
        + "c3" // end: ret
        + "00000000bed8a5e90000000015a82614" // k2048: x^(2048+63) and x^(2048-1)
        + "0000000045b27765000000003f151774" // k1024: x^(1024+63) and x^(1024-1)
        + "000000003b24191c000000005ba4bb75" // k512: x^(512+63) and x^(512-1)
        + "00000000bcbbcc3300000000348b15a2" // k256: x^(256+63) and x^(256-1)
        + "00000000bdf743370000000030d47131"; // k128: x^(128+63) and x^(128-1)
  }

  /** Whether {@link #copy} can be called. The first call makes the functions: milliseconds. */
  static boolean isAvailable() {
    return ORDINARY != null && STREAMING != null;
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
  static int copy(
      int state,
      MemorySegment source,
      long offset,
      MemorySegment destination,
      long at,
      long length,
      boolean streaming) {
    MethodHandle ordinary = ORDINARY;
    MethodHandle streams = STREAMING;
    if (ordinary == null || streams == null) {
      throw new IllegalStateException("not available here");
    }
    int next = state;
    try {
      for (long done = 0; done < length; done += BLOCK) {
        long n = Math.min(BLOCK, length - done);
        next =
            streaming
                ? (int) streams.invokeExact(destination, at + done, source, offset + done, n, next)
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
