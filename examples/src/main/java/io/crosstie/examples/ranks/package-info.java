// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs on ranks, each with a check against its serial result. */
@NullMarked
package io.crosstie.examples.ranks;

import org.jspecify.annotations.NullMarked;
