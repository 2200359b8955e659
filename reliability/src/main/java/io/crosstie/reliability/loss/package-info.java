// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Records of packets sent and received, round trips, and what passes for lost (RFC 9002). */
@NullMarked
package io.crosstie.reliability.loss;

import org.jspecify.annotations.NullMarked;
