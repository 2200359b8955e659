// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Four programs to begin with, each in one file. */
@NullMarked
package io.crosstie.samples;

import org.jspecify.annotations.NullMarked;
