// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What a node tells about itself: events, states and counters. */
@NullMarked
package io.crosstie.multirail.event;

import org.jspecify.annotations.NullMarked;
