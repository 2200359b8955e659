# SPDX-License-Identifier: Apache-2.0
# Copyright 2026 The Crosstie authors
#
# void order(void): what is stored after it is seen after all that was streamed before. Needs SSE.

	.intel_syntax noprefix

	endbr64
	sfence
	ret
