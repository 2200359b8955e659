// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Measures between any two hosts over any rails: {@code crosstie perf}. */
@NullMarked
package io.crosstie.benchmarks.perf;

import org.jspecify.annotations.NullMarked;
