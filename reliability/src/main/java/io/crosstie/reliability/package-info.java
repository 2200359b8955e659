// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Wire format, packet-number spaces, loss detection, flow control and reassembly. */
@NullMarked
package io.crosstie.reliability;

import org.jspecify.annotations.NullMarked;
