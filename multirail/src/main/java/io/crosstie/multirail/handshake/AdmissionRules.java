// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Reject;
import io.crosstie.transport.RailPort;
import java.util.function.Predicate;

/** Who may connect at all. Whoever may not is rejected, by each of the questions. */
final class AdmissionRules {
  private static final String UNKNOWN_PEER =
      "only peers that are configured here may connect; configure this one with peer(name)";

  private final EndpointConfig config;
  private final HandshakePackets packets;
  private final Introductions introductions;
  private final SupersededNodes superseded;
  private final Predicate<String> mayConnect;

  /** Nobody is accepted any more. */
  private boolean closing;

  /**
   * @param mayConnect whether a node of that name may connect
   */
  AdmissionRules(
      EndpointConfig config,
      HandshakePackets packets,
      Introductions introductions,
      SupersededNodes superseded,
      Predicate<String> mayConnect) {
    this.config = config;
    this.packets = packets;
    this.introductions = introductions;
    this.superseded = superseded;
    this.mayConnect = mayConnect;
  }

  /** From now on nobody may. */
  void refuseNew() {
    closing = true;
  }

  boolean refusesNew() {
    return closing;
  }

  boolean mayConnect(RailPort port, long connectionId, String name, long incarnation) {
    boolean may = mayConnect.test(name);
    if (!may) {
      packets.reject(port, connectionId, Reject.REFUSED, incarnation, UNKNOWN_PEER);
    }
    return may;
  }

  /** Whether the sender looks for this node. */
  boolean isMeant(RailPort port, long connectionId, String wantedName, long incarnation) {
    boolean meant = wantedName.isEmpty() || wantedName.equals(config.name());
    if (!meant) {
      String text = "this is \"" + config.name() + "\"";
      packets.reject(port, connectionId, Reject.WRONG_NAME, incarnation, text);
    }
    return meant;
  }

  /**
   * Whether a node of that name and incarnation may be here now.
   *
   * @param connectionId the sender's; 0 if that is not known
   */
  boolean isAdmitted(RailPort port, long connectionId, String name, long incarnation) {
    if (closing) {
      String text = "\"" + config.name() + "\" is about to close";
      packets.reject(port, connectionId, Reject.CLOSING, incarnation, text);
      return false;
    }
    if (name.equals(config.name())) {
      String text = "\"" + name + "\" is the name of the node asked; each needs a name of its own";
      packets.reject(port, connectionId, Reject.NAME_TAKEN, incarnation, text);
      return false;
    }
    // It has to know which connection is meant, since that one ends for good: HELLO tells its id.
    if (connectionId != 0 && superseded.contains(name, incarnation)) {
      String text = SupersededNodes.explanation(name);
      packets.reject(port, connectionId, Reject.RESTARTED, incarnation, text);
      return false;
    }
    return true;
  }

  /** Whether this node can work with what the peer tells of itself. */
  boolean isCompatible(RailPort port, Introduction peer) {
    String why = introductions.whyIncompatible(peer.limits());
    if (why != null) {
      packets.reject(port, peer.connectionId(), Reject.REFUSED, peer.incarnation(), why);
    }
    return why == null;
  }
}
