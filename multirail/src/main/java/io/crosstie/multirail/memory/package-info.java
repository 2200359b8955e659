// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** How the memory of the node goes round between peers and their channels. */
@NullMarked
package io.crosstie.multirail.memory;

import org.jspecify.annotations.NullMarked;
