// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What messages take, charged to the node and its peers before it is taken. */
@NullMarked
package io.crosstie.reliability.memory;

import org.jspecify.annotations.NullMarked;
