// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

/** UDP rails: Linux system calls with GSO and GRO, and portable Netty. */
@NullMarked
package io.crosstie.transport.udp;

import org.jspecify.annotations.NullMarked;
