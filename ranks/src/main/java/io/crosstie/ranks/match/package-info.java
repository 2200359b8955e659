// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Which receives and which messages belong together; no input or output, no clock. */
@NullMarked
package io.crosstie.ranks.match;

import org.jspecify.annotations.NullMarked;
