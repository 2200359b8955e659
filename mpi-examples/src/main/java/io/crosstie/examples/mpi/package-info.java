// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Programs in both dialects of MPI for Java, each with a check against its serial result. */
@NullMarked
package io.crosstie.examples.mpi;

import org.jspecify.annotations.NullMarked;
