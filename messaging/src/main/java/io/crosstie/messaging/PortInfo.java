// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import org.jspecify.annotations.Nullable;

/**
 * The local end of a rail, at one moment; only its counters go on.
 *
 * @param index its number, as {@link Node#addRail} returned it
 * @param name the rail as configured
 * @param kind the driver's word for itself
 * @param address where peers can reach it, empty while it is not open
 * @param open whether it is
 * @param counters of its driver, null while it is not open
 */
public record PortInfo(
    int index,
    String name,
    String kind,
    String address,
    boolean open,
    @Nullable Counters<PortCounter> counters) {

  static PortInfo of(io.crosstie.multirail.port.PortInfo port) {
    io.crosstie.transport.Counters<io.crosstie.transport.PortCounter> counters = port.counters();
    return new PortInfo(
        port.index(),
        port.name(),
        port.kind(),
        port.address(),
        port.open(),
        counters == null ? null : new CoreCounters<>(PortCounter.class, counters));
  }
}
