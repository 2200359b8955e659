// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Time without the pauses of this process, and what is made of it: back-off, stall timers. */
@NullMarked
package io.crosstie.reliability.time;

import org.jspecify.annotations.NullMarked;
