// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The Rail SPI: what a path between two nodes can do. */
@NullMarked
package io.crosstie.transport;

import org.jspecify.annotations.NullMarked;
