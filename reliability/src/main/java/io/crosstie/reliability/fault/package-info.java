// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Faults that are put in as negative controls of the simulator. */
@NullMarked
package io.crosstie.reliability.fault;

import org.jspecify.annotations.NullMarked;
