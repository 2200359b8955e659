// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/**
 * Two hosts in network namespaces, joined by rails of given rates; a sender and a receiver as
 * processes in them; faults that touch only the kernel and the processes; and what the receiver saw
 * of it. Crosstie is told its rails and nothing else, and kernel Multipath TCP can go through the
 * same.
 */
@NullMarked
package io.crosstie.lab;

import org.jspecify.annotations.NullMarked;
