# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# Copies and takes the CRC-32C of what it copies in one pass, by registers of 512 bits: four of them,
# 256 bytes a turn. Needs SSE4.2, AVX2, AVX-512F, AVX-512VL and VPCLMULQDQ. The function's form, and
# what STREAMING means, stand in parts.inc, and the algorithm too.

	.set	ZMM, 1
	.include "parts.inc"

# Moves the lanes of a register forward, by zmm4; copies as many bytes, and adds them. The store
# stands behind the multiplications: right behind its load it would halve the rate of streaming.
	.macro	STEP register, at
	vmovdqu64	zmm6, [rdx + \at]
	vpclmulqdq	zmm5, \register, zmm4, 0x00
	vpclmulqdq	\register, \register, zmm4, 0x11
	STORE	[rdi + \at], zmm6
	vpternlogq	\register, zmm5, zmm6, 0x96	# exclusive or of all three
	.endm

# Moves the lanes of one register forward to where those of another are, and adds them. The numbers
# are those of the registers, of a width that is x, y or z.
	.macro	JOIN width, into, from
	vpclmulqdq	\width\()mm5, \width\()mm\into, \width\()mm4, 0x00
	vpclmulqdq	\width\()mm\into, \width\()mm\into, \width\()mm4, 0x11
	vpternlogq	\width\()mm\into, \width\()mm5, \width\()mm\from, 0x96
	.endm

	ENTRY
	sub	r8, 256				# r8: what is left, less a turn
	jb	brief
	vbroadcasti32x4	zmm4, [rip + k2048]	# the four registers are 2048 bits
	vmovdqu64	zmm0, [rdx]
	vmovdqu64	zmm1, [rdx + 64]
	vmovdqu64	zmm2, [rdx + 128]
	vmovdqu64	zmm3, [rdx + 192]
	STORE	[rdi], zmm0
	STORE	[rdi + 64], zmm1
	STORE	[rdi + 128], zmm2
	STORE	[rdi + 192], zmm3
	vmovd	xmm5, eax
	vpxorq	zmm0, zmm0, zmm5		# the state so far belongs to the first four bytes
	jmp	advance
next:
	STEP	zmm0, 0
	STEP	zmm1, 64
	STEP	zmm2, 128
	STEP	zmm3, 192
advance:
	add	rdx, 256
	add	rdi, 256
	sub	r8, 256
	jae	next

# Fewer than 256 bytes are left: r8's low eight bits. Four registers become two, then one; on the way
# each takes in what it is wide enough for.
	vbroadcasti32x4	zmm4, [rip + k1024]
	JOIN	z, 0, 2
	JOIN	z, 1, 3
	test	r8b, -128
	je	no128
	STEP	zmm0, 0
	STEP	zmm1, 64
	sub	rdx, -128			# adds 128, in a byte
	sub	rdi, -128
no128:
	vbroadcasti32x4	zmm4, [rip + k512]
	JOIN	z, 0, 1
	test	r8b, 64
	je	no64
	STEP	zmm0, 0
	add	rdx, 64
	add	rdi, 64
no64:
	vbroadcasti128	ymm4, [rip + k256]
	vextracti64x4	ymm1, zmm0, 1
	JOIN	y, 0, 1
	test	r8b, 32
	je	no32
	vmovdqu	ymm6, [rdx]
	vmovdqu	[rdi], ymm6
	JOIN	y, 0, 6
	add	rdx, 32
	add	rdi, 32
no32:
	vmovdqu	xmm4, [rip + k128]
	vextracti128	xmm1, ymm0, 1
	JOIN	x, 0, 1
	test	r8b, 16
	je	no16
	vmovdqu	xmm6, [rdx]
	vmovdqu	[rdi], xmm6
	JOIN	x, 0, 6
	add	rdx, 16
	add	rdi, 16
no16:
	REDUCE
brief:
	lea	rcx, [r8 + 256]
	FEW

k2048:	.long	0, 0xe9a5d8be, 0, 0x1426a815
	DISTANCES
