// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Streams of messages that a receiver can judge by their content alone. */
@NullMarked
package io.crosstie.testkit.stream;

import org.jspecify.annotations.NullMarked;
