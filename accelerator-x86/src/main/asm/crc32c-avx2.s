# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# Copies and takes the CRC-32C of what it copies in one pass, by registers of 256 bits: four of them,
# 128 bytes a turn; for processors with VPCLMULQDQ but without AVX-512. Needs SSE4.2, AVX2 and
# VPCLMULQDQ. The function's form, and what STREAMING means, stand in parts.inc, and the algorithm
# too. There is no exclusive or of three registers here, so it takes two.

	.include "parts.inc"

# Moves the lanes of a register forward, by ymm4; copies as many bytes, and adds them. The store
# stands behind the multiplications: right behind its load it would halve the rate of streaming.
	.macro	STEP register, at
	vmovdqu	ymm6, [rdx + \at]
	vpclmulqdq	ymm5, \register, ymm4, 0x00
	vpclmulqdq	\register, \register, ymm4, 0x11
	STORE	[rdi + \at], ymm6
	vpxor	ymm5, ymm5, ymm6
	vpxor	\register, \register, ymm5
	.endm

# Moves the lanes of one register forward to where those of another are, and adds them. The numbers
# are those of the registers, of a width that is x or y.
	.macro	JOIN width, into, from
	vpclmulqdq	\width\()mm5, \width\()mm\into, \width\()mm4, 0x00
	vpclmulqdq	\width\()mm\into, \width\()mm\into, \width\()mm4, 0x11
	vpxor	\width\()mm5, \width\()mm5, \width\()mm\from
	vpxor	\width\()mm\into, \width\()mm\into, \width\()mm5
	.endm

	ENTRY
	sub	r8, 128				# r8: what is left, less a turn
	jb	brief
	vbroadcasti128	ymm4, [rip + k1024]	# the four registers are 1024 bits
	vmovdqu	ymm0, [rdx]
	vmovdqu	ymm1, [rdx + 32]
	vmovdqu	ymm2, [rdx + 64]
	vmovdqu	ymm3, [rdx + 96]
	STORE	[rdi], ymm0
	STORE	[rdi + 32], ymm1
	STORE	[rdi + 64], ymm2
	STORE	[rdi + 96], ymm3
	vmovd	xmm5, eax
	vpxor	ymm0, ymm0, ymm5		# the state so far belongs to the first four bytes
	jmp	advance
next:
	STEP	ymm0, 0
	STEP	ymm1, 32
	STEP	ymm2, 64
	STEP	ymm3, 96
advance:
	sub	rdx, -128			# adds 128, in a byte
	sub	rdi, -128
	sub	r8, 128
	jae	next

# Fewer than 128 bytes are left: r8's low seven bits. Four registers become two, then one; on the way
# each takes in what it is wide enough for.
	vbroadcasti128	ymm4, [rip + k512]
	JOIN	y, 0, 2
	JOIN	y, 1, 3
	test	r8b, 64
	je	no64
	STEP	ymm0, 0
	STEP	ymm1, 32
	add	rdx, 64
	add	rdi, 64
no64:
	vbroadcasti128	ymm4, [rip + k256]
	JOIN	y, 0, 1
	test	r8b, 32
	je	no32
	STEP	ymm0, 0
	add	rdx, 32
	add	rdi, 32
no32:
	vmovdqu	xmm4, [rip + k128]
	vextracti128	xmm1, ymm0, 1
	JOIN	x, 0, 1
	test	r8b, 16
	je	no16
	vmovdqu	xmm6, [rdx]
	vpclmulqdq	xmm5, xmm0, xmm4, 0x00
	vpclmulqdq	xmm0, xmm0, xmm4, 0x11
	vmovdqu	[rdi], xmm6
	vpxor	xmm5, xmm5, xmm6
	vpxor	xmm0, xmm0, xmm5
	add	rdx, 16
	add	rdi, 16
no16:
	REDUCE
brief:
	lea	rcx, [r8 + 128]
	FEW

	DISTANCES
