// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Assembles packets: frames and payload, checked and encoded for one rail. */
@NullMarked
package io.crosstie.reliability.packet;

import org.jspecify.annotations.NullMarked;
