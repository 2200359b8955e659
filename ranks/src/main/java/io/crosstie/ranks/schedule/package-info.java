// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Collective operations as schedules; no input or output, no clock, no threads. */
@NullMarked
package io.crosstie.ranks.schedule;

import org.jspecify.annotations.NullMarked;
