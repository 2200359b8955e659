// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What both demos know of the library's rails. */
@NullMarked
package io.crosstie.demo.rails;

import org.jspecify.annotations.NullMarked;
