// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Counters of running nodes in files that other processes of the same user read. */
@NullMarked
package io.crosstie.messaging.stat;

import org.jspecify.annotations.NullMarked;
