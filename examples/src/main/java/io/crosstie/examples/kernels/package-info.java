// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * Kernels by the definitions of the NAS Parallel Benchmarks, written from the problem statements,
 * with the published values that their results are checked against.
 *
 * <p>Source: Bailey and others, The NAS Parallel Benchmarks, report RNR-94-007, 1994; classes S, W
 * and A of NPB 2 and later. No code of theirs is used, so times compare with one another, and with
 * NPB's only as an order of size.
 */
@NullMarked
package io.crosstie.examples.kernels;

import org.jspecify.annotations.NullMarked;
