// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Micrometer binder, JFR events and the counters that other processes can read. */
@NullMarked
package io.crosstie.observability;

import org.jspecify.annotations.NullMarked;
