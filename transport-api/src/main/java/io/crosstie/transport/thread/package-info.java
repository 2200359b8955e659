// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * Ports that are used by a thread of their own ({@code thread=own}), so that one that hangs can be
 * told and given up. Internal: exported to Crosstie's modules only.
 */
@NullMarked
package io.crosstie.transport.thread;

import org.jspecify.annotations.NullMarked;
