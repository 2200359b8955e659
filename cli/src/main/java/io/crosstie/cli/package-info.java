// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The crosstie command. */
@NullMarked
package io.crosstie.cli;

import org.jspecify.annotations.NullMarked;
