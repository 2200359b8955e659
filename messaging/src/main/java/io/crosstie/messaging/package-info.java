// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** What applications link: Node, Peer, Channel, progress engine and configuration. */
@NullMarked
package io.crosstie.messaging;

import org.jspecify.annotations.NullMarked;
