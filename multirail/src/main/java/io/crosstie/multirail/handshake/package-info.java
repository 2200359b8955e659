// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** How two nodes come to a connection, and which rails join them. */
@NullMarked
package io.crosstie.multirail.handshake;

import org.jspecify.annotations.NullMarked;
