// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** One rail of one connection: its numbers, estimates, recovery, health and probing. */
@NullMarked
package io.crosstie.multirail.path;

import org.jspecify.annotations.NullMarked;
