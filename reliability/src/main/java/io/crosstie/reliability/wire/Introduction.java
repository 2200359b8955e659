// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.reliability.wire;

import io.crosstie.transport.RailAddress;
import java.util.List;

/**
 * What {@link Hello} and {@link Welcome} say about their sender.
 *
 * @param incarnation drawn at random when its process started
 * @param name its name
 * @param rank its rank, or {@link #NO_RANK}
 * @param connectionId what packets to the sender have to carry as connection id, never 0
 * @param limits its limits
 * @param railInfo the rail that the handshake uses
 * @param addresses where it can be reached, at most {@link AddressesFrame#MAX_ADDRESSES}; a packet
 *     carries as many as fit, in this order
 * @param takes what it takes besides plain messages, bits of {@link Takes}
 */
public record Introduction(
    long incarnation,
    String name,
    int rank,
    long connectionId,
    Limits limits,
    RailInfo railInfo,
    List<RailAddress> addresses,
    int takes) {

  /** The rank of a node without one. */
  public static final int NO_RANK = -1;

  /** Of a node that takes plain messages only. */
  public Introduction(
      long incarnation,
      String name,
      int rank,
      long connectionId,
      Limits limits,
      RailInfo railInfo,
      List<RailAddress> addresses) {
    this(incarnation, name, rank, connectionId, limits, railInfo, addresses, Takes.NOTHING_ELSE);
  }

  /** Checks name, rank, connection id and the number of addresses. */
  public Introduction {
    NodeName.require(name);
    addresses = List.copyOf(addresses);
    if (rank < NO_RANK || connectionId == 0 || addresses.size() > AddressesFrame.MAX_ADDRESSES) {
      throw new IllegalArgumentException(
          "introduction out of range: rank "
              + rank
              + ", connection id "
              + connectionId
              + ", "
              + addresses.size()
              + " addresses, of which at most "
              + AddressesFrame.MAX_ADDRESSES
              + " can be told");
    }
  }
}
