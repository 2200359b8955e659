// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/**
 * {@link CopyingCrc32c} by registers of 512 bits: four of them, 256 bytes a turn. It takes AVX-512
 * with VPCLMULQDQ, on which the JDK's own sum rests there, too.
 */
final class FoldingAvx512 {
  /** Calls what copies few bytes, behind the way to the next cache line. */
  static final String CALL_FEW = "e896020000"; // call few

  /** A store of a register relative to rdi, but for the byte or two that say which and where. */
  static final String ORDINARY_STORE = "62f1fe487f"; // vmovdqu64

  static final String STREAMING_STORE = "62f17d48e7"; // vmovntdq

  private FoldingAvx512() {}

  /**
   * The copy itself, from its label {@code whole} on. Where bytes are streamed, a store stands
   * behind the multiplications: right behind its load it halves the rate.
   */
  static String body(String store) {
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
        + CopyingCrc32c.REDUCTION
        + "498d8800010000" // brief: lea rcx, [r8 + 256]
        + CopyingCrc32c.FEW
        + "00000000bed8a5e90000000015a82614" // k2048: x^(2048+63) and x^(2048-1)
        + "0000000045b27765000000003f151774" // k1024: x^(1024+63) and x^(1024-1)
        + "000000003b24191c000000005ba4bb75" // k512: x^(512+63) and x^(512-1)
        + "00000000bcbbcc3300000000348b15a2" // k256: x^(256+63) and x^(256-1)
        + "00000000bdf743370000000030d47131"; // k128: x^(128+63) and x^(128-1)
  }
}
