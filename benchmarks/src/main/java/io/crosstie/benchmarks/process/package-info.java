// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Whole-process benchmarks: each subject as two processes, in alternating rounds. */
@NullMarked
package io.crosstie.benchmarks.process;

import org.jspecify.annotations.NullMarked;
