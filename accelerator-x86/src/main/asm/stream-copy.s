# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# void copy(char *to, long toOffset, const char *from, long fromOffset, long length)
#
# by the System V ABI: rdi, rsi, rdx, rcx, r8. Copies by streaming (non-temporal) stores, which write
# whole cache lines without fetching them first; whatever is stored later may be seen before them,
# until order.s was called. Length a multiple of 64 above 0, the destination aligned to 64. Needs
# SSE2, which every x86-64 has. Changes those registers and xmm0 to xmm3, which belong to the callee.
#
# A plain loop of four loads and four stores, a cache line a turn.

	.intel_syntax noprefix

	endbr64
	add	rdi, rsi
	add	rdx, rcx
next:
	movdqu	xmm0, [rdx]
	movdqu	xmm1, [rdx + 16]
	movdqu	xmm2, [rdx + 32]
	movdqu	xmm3, [rdx + 48]
	movntdq	[rdi], xmm0
	movntdq	[rdi + 16], xmm1
	movntdq	[rdi + 32], xmm2
	movntdq	[rdi + 48], xmm3
	add	rdx, 64
	add	rdi, 64
	sub	r8, 64
	jne	next
	ret
