// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.transport.Counters;
import io.crosstie.transport.PortCounter;
import org.jspecify.annotations.Nullable;

/**
 * A port as others may see it.
 *
 * @param name the rail as configured
 */
public record PortInfo(
    int index,
    String name,
    String kind,
    String address,
    boolean open,
    @Nullable Counters<PortCounter> counters) {}
