// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * The few Linux system calls that Crosstie's own rails need, through {@link java.lang.foreign}.
 * Internal: exported to Crosstie's modules only.
 */
@NullMarked
package io.crosstie.transport.linux;

import org.jspecify.annotations.NullMarked;
