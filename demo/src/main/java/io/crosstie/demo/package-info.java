// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Multi-NIC failover demo with a live page. */
@NullMarked
package io.crosstie.demo;

import org.jspecify.annotations.NullMarked;
