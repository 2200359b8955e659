// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** Channels: the log of what was offered, reassembly of what arrives, credit and grants. */
@NullMarked
package io.crosstie.reliability.channel;

import org.jspecify.annotations.NullMarked;
