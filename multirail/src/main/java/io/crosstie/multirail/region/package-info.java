// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Memory that peers may write to: regions, their keys and rights, and notifications. */
@NullMarked
package io.crosstie.multirail.region;

import org.jspecify.annotations.NullMarked;
