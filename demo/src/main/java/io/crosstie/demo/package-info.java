// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The failover demo: two processes, three rails, some die, nothing is lost. */
@NullMarked
package io.crosstie.demo;

import org.jspecify.annotations.NullMarked;
