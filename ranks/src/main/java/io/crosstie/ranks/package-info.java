// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Parallel programs: ranks, tags, communicators, rendezvous, collective operations. */
@NullMarked
package io.crosstie.ranks;

import org.jspecify.annotations.NullMarked;
