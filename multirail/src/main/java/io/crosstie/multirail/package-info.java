// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The connection: path scheduler, rail health, striping, failover and fail-back. */
@NullMarked
package io.crosstie.multirail;

import org.jspecify.annotations.NullMarked;
