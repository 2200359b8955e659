// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What is measured: Crosstie, its peers and the bare limits, all behind one small interface. */
@NullMarked
package io.crosstie.benchmarks.link;

import org.jspecify.annotations.NullMarked;
