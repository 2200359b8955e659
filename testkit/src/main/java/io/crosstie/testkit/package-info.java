// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What the tests of all modules share. For tests only: it is on no application's class path. */
@NullMarked
package io.crosstie.testkit;

import org.jspecify.annotations.NullMarked;
