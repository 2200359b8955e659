// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.connection.ConnectionRails;

/**
 * A rail of the connection to a peer, at one moment; only its counters go on.
 *
 * @param id its number in the connection
 * @param name local and remote address
 * @param kind the driver's word for itself
 * @param state its health
 * @param local this side's address
 * @param remote the peer's, empty while it is not known
 * @param counters what went over it
 */
public record RailInfo(
    int id,
    String name,
    String kind,
    RailState state,
    String local,
    String remote,
    Counters<RailCounter> counters) {

  static RailInfo of(ConnectionRails.RailInfo rail) {
    return new RailInfo(
        rail.id(),
        rail.name(),
        rail.kind(),
        RailState.of(rail.state()),
        rail.local(),
        rail.remote(),
        new CoreCounters<>(RailCounter.class, rail.counters()));
  }
}
