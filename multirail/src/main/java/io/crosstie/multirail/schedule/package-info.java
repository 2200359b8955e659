// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Path schedulers: which rail a packet takes. */
@NullMarked
package io.crosstie.multirail.schedule;

import org.jspecify.annotations.NullMarked;
