// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Child processes, the lines they talk in, and the kernel's tools. */
@NullMarked
package io.crosstie.testkit.process;

import org.jspecify.annotations.NullMarked;
