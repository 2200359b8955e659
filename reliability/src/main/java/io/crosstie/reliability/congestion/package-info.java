// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** How fast a path may be filled: rate, window and pacing. */
@NullMarked
package io.crosstie.reliability.congestion;

import org.jspecify.annotations.NullMarked;
