// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** The local ends of rails: opened, polled, waited for, and opened again. */
@NullMarked
package io.crosstie.multirail.port;

import org.jspecify.annotations.NullMarked;
