// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** How the processes of a parallel job find one another, and a launcher for one host. */
@NullMarked
package io.crosstie.launch;

import org.jspecify.annotations.NullMarked;
