// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Virtual clock, seeded network and checkers around the shipped core classes. */
@NullMarked
package io.crosstie.simulation;

import org.jspecify.annotations.NullMarked;
