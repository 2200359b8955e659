// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;

/** A rail from one port to one seed address, for the handshake; who gets it goes on with it. */
final class SeedRail {
  final int portIndex;
  final RailPort port;
  final Rail rail;
  final RailAddress seed;
  private int committed;

  SeedRail(int portIndex, RailPort port, Rail rail, RailAddress seed) {
    this.portIndex = portIndex;
    this.port = port;
    this.rail = rail;
    this.seed = seed;
  }

  /** Packets that the rail took. */
  int committed() {
    return committed;
  }

  void onCommitted() {
    committed++;
  }

  boolean leadsTo(int fromPort, RailAddress to) {
    return portIndex == fromPort && seed.equals(to);
  }

  /** Its end, whatever its driver thinks of that. */
  void close() {
    try {
      rail.close();
    } catch (RuntimeException | Error e) {
      // it is gone all the same
    }
  }
}
