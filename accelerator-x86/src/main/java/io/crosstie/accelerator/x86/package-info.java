// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
/** Loops of machine code for x86-64 on Linux; optional, found as a service. */
@NullMarked
package io.crosstie.accelerator.x86;

import org.jspecify.annotations.NullMarked;
