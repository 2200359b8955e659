// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Point to point as a state machine; no input or output, no clock, no threads. */
@NullMarked
package io.crosstie.ranks.p2p;

import org.jspecify.annotations.NullMarked;
