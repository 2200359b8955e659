// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * The live demo: a sender and a receiver on hosts of their own, a page on which anybody can cut the
 * network interfaces between them, and the receiver's judgement beside the kernel's counters.
 */
@NullMarked
package io.crosstie.demo.live;

import org.jspecify.annotations.NullMarked;
