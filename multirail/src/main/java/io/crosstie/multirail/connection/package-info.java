// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The state machine between two nodes: channels, and packets in both directions. */
@NullMarked
package io.crosstie.multirail.connection;

import org.jspecify.annotations.NullMarked;
