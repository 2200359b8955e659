// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What an endpoint is configured with. */
@NullMarked
package io.crosstie.multirail.config;

import org.jspecify.annotations.NullMarked;
