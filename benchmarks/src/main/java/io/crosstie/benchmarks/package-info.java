// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** JMH and whole-process benchmarks, Crosstie beside its peers. */
@NullMarked
package io.crosstie.benchmarks;

import org.jspecify.annotations.NullMarked;
