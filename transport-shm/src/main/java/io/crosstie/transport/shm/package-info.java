// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Shared-memory rails between processes of one host. */
@NullMarked
package io.crosstie.transport.shm;

import org.jspecify.annotations.NullMarked;
