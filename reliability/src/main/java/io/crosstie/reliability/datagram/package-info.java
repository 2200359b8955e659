// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Datagrams of one connection: what waits to leave, and what came. */
@NullMarked
package io.crosstie.reliability.datagram;

import org.jspecify.annotations.NullMarked;
