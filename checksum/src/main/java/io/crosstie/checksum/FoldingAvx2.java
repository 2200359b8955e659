// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.checksum;

/**
 * {@link CopyingCrc32c} by registers of 256 bits, for processors with VPCLMULQDQ but without
 * AVX-512: four of them, 128 bytes a turn. Where both can be had, registers of 512 bits are up to
 * twice as quick.
 */
final class FoldingAvx2 {
  /** Calls what copies few bytes, behind the way to the next cache line. */
  static final String CALL_FEW = "e808020000"; // call few

  /** A store of a register relative to rdi, but for the byte or two that say which and where. */
  static final String ORDINARY_STORE = "c5fe7f"; // vmovdqu

  static final String STREAMING_STORE = "c5fde7"; // vmovntdq

  private FoldingAvx2() {}

  /**
   * The copy itself, from its label {@code whole} on. Where bytes are streamed, a store stands
   * behind the multiplications: right behind its load it halves the rate.
   */
  static String body(String store) {
    return "4981e880000000" // whole: sub r8, 128
        + "0f82f4010000" // jb brief
        + "c4e27d5a252e020000" // vbroadcasti128 ymm4, [rip + k1024]
        + "c5fe6f02" // vmovdqu ymm0, [rdx]
        + "c5fe6f4a20" // vmovdqu ymm1, [rdx + 32]
        + "c5fe6f5240" // vmovdqu ymm2, [rdx + 64]
        + "c5fe6f5a60" // vmovdqu ymm3, [rdx + 96]
        + store
        + "07" // store [rdi], ymm0
        + store
        + "4f20" // store [rdi + 32], ymm1
        + store
        + "5740" // store [rdi + 64], ymm2
        + store
        + "5f60" // store [rdi + 96], ymm3
        + "c5f96ee8" // vmovd xmm5, eax
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "eb76" // jmp advance
        + "c5fe6f32" // next: vmovdqu ymm6, [rdx]
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + store
        + "37" // store [rdi], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "c5fe6f7220" // vmovdqu ymm6, [rdx + 32]
        + "c4e37544ec00" // vpclmulqdq ymm5, ymm1, ymm4, 0
        + "c4e37544cc11" // vpclmulqdq ymm1, ymm1, ymm4, 17
        + store
        + "7720" // store [rdi + 32], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5f5efcd" // vpxor ymm1, ymm1, ymm5
        + "c5fe6f7240" // vmovdqu ymm6, [rdx + 64]
        + "c4e36d44ec00" // vpclmulqdq ymm5, ymm2, ymm4, 0
        + "c4e36d44d411" // vpclmulqdq ymm2, ymm2, ymm4, 17
        + store
        + "7740" // store [rdi + 64], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5edefd5" // vpxor ymm2, ymm2, ymm5
        + "c5fe6f7260" // vmovdqu ymm6, [rdx + 96]
        + "c4e36544ec00" // vpclmulqdq ymm5, ymm3, ymm4, 0
        + "c4e36544dc11" // vpclmulqdq ymm3, ymm3, ymm4, 17
        + store
        + "7760" // store [rdi + 96], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5e5efdd" // vpxor ymm3, ymm3, ymm5
        + "4883ea80" // advance: sub rdx, -128
        + "4883ef80" // sub rdi, -128
        + "4981e880000000" // sub r8, 128
        + "0f8375ffffff" // jae next
        + "c4e27d5a257a010000" // vbroadcasti128 ymm4, [rip + k512]
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + "c5d5efea" // vpxor ymm5, ymm5, ymm2
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "c4e37544ec00" // vpclmulqdq ymm5, ymm1, ymm4, 0
        + "c4e37544cc11" // vpclmulqdq ymm1, ymm1, ymm4, 17
        + "c5d5efeb" // vpxor ymm5, ymm5, ymm3
        + "c5f5efcd" // vpxor ymm1, ymm1, ymm5
        + "41f6c040" // test r8b, 64
        + "7442" // je no64
        + "c5fe6f32" // vmovdqu ymm6, [rdx]
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + store
        + "37" // store [rdi], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "c5fe6f7220" // vmovdqu ymm6, [rdx + 32]
        + "c4e37544ec00" // vpclmulqdq ymm5, ymm1, ymm4, 0
        + "c4e37544cc11" // vpclmulqdq ymm1, ymm1, ymm4, 17
        + store
        + "7720" // store [rdi + 32], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5f5efcd" // vpxor ymm1, ymm1, ymm5
        + "4883c240" // add rdx, 64
        + "4883c740" // add rdi, 64
        + "c4e27d5a2511010000" // no64: vbroadcasti128 ymm4, [rip + k256]
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + "c5d5efe9" // vpxor ymm5, ymm5, ymm1
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "41f6c020" // test r8b, 32
        + "7424" // je no32
        + "c5fe6f32" // vmovdqu ymm6, [rdx]
        + "c4e37d44ec00" // vpclmulqdq ymm5, ymm0, ymm4, 0
        + "c4e37d44c411" // vpclmulqdq ymm0, ymm0, ymm4, 17
        + store
        + "37" // store [rdi], ymm6
        + "c5d5efee" // vpxor ymm5, ymm5, ymm6
        + "c5fdefc5" // vpxor ymm0, ymm0, ymm5
        + "4883c220" // add rdx, 32
        + "4883c720" // add rdi, 32
        + "c5fa6f25db000000" // no32: vmovdqu xmm4, [rip + k128]
        + "c4e37d39c101" // vextracti128 xmm1, ymm0, 1
        + "c4e37944ec00" // vpclmulqdq xmm5, xmm0, xmm4, 0
        + "c4e37944c411" // vpclmulqdq xmm0, xmm0, xmm4, 17
        + "c5d1efe9" // vpxor xmm5, xmm5, xmm1
        + "c5f9efc5" // vpxor xmm0, xmm0, xmm5
        + "41f6c010" // test r8b, 16
        + "7424" // je no16
        + "c5fa6f32" // vmovdqu xmm6, [rdx]
        + "c4e37944ec00" // vpclmulqdq xmm5, xmm0, xmm4, 0
        + "c4e37944c411" // vpclmulqdq xmm0, xmm0, xmm4, 17
        + "c5fa7f37" // vmovdqu [rdi], xmm6
        + "c5d1efee" // vpxor xmm5, xmm5, xmm6
        + "c5f9efc5" // vpxor xmm0, xmm0, xmm5
        + "4883c210" // add rdx, 16
        + "4883c710" // add rdi, 16
        + CopyingCrc32c.REDUCTION
        + "498d8880000000" // brief: lea rcx, [r8 + 128]
        + CopyingCrc32c.FEW
        + "0000000045b27765000000003f151774" // k1024: x^(1024+63) and x^(1024-1)
        + "000000003b24191c000000005ba4bb75" // k512: x^(512+63) and x^(512-1)
        + "00000000bcbbcc3300000000348b15a2" // k256: x^(256+63) and x^(256-1)
        + "00000000bdf743370000000030d47131"; // k128: x^(128+63) and x^(128-1)
  }
}
