// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;

/** Opens the rails that an attempt tries its seeds by. */
final class SeedRails {
  private final PortTable ports;

  SeedRails(PortTable ports) {
    this.ports = ports;
  }

  /**
   * Every seed is tried from the port whose address is most like it, as rails are paired: another
   * one may be able to send there, and yet not be where the answer comes back to. The connection
   * tells what is wrong with each so far.
   */
  void open(Connection c, HandshakeAttempt attempt) {
    StringBuilder why = new StringBuilder(String.join("; ", attempt.seeds().problems()));
    for (RailAddress seed : attempt.seeds().addresses()) {
      String reason = "no rail of this node has the scheme \"" + seed.scheme() + "\"";
      RailPort best = null;
      int bestIndex = -1;
      int bestLikeness = -1;
      for (int i = 0; i < ports.size(); i++) {
        RailPort port = ports.port(i);
        if (port == null) {
          continue;
        }
        String unreachable = port.whyUnreachable(seed);
        int likeness = RailPairing.likeness(port.localAddress(), seed);
        if (unreachable == null && likeness > bestLikeness) {
          best = port;
          bestIndex = i;
          bestLikeness = likeness;
        } else if (unreachable != null && ports.name(i).startsWith(seed.scheme())) {
          reason = unreachable;
        }
      }
      String problem = best == null ? reason : open(attempt, best, bestIndex, seed);
      why.append(why.isEmpty() ? "" : "; ").append(seed).append(": ").append(problem);
    }
    if (attempt.answered() == null && !c.problem().startsWith("rejected")) {
      c.problem(why.toString());
    }
  }

  /** Returns what is wrong so far. */
  private String open(HandshakeAttempt attempt, RailPort port, int portIndex, RailAddress seed) {
    if (!attempt.hasRail(portIndex, seed)) {
      try {
        attempt.add(new SeedRail(portIndex, port, ports.connect(port, seed), seed));
      } catch (RailException x) {
        return String.valueOf(x.getMessage());
      }
    }
    return "no answer";
  }
}
