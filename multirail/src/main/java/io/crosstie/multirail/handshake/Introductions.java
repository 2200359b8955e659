// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.checksum.ChecksumKind;
import io.crosstie.multirail.config.EndpointConfig;
import io.crosstie.multirail.port.PortTable;
import io.crosstie.reliability.wire.Introduction;
import io.crosstie.reliability.wire.Limits;
import io.crosstie.reliability.wire.RailInfo;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import org.jspecify.annotations.Nullable;

/**
 * What HELLO and WELCOME tell of this node, and whether it can work with what they tell of another.
 */
final class Introductions {
  private final EndpointConfig config;
  private final PortTable ports;

  Introductions(EndpointConfig config, PortTable ports) {
    this.config = config;
    this.ports = ports;
  }

  /** This node's, for the connection that has this id here, by that rail of that port. */
  Introduction own(long connectionId, RailPort port, Rail rail) {
    Limits limits =
        new Limits(
            Math.min(
                config.maxMessageBytes(), // of which those up to the eager limit need no pool
                Math.max(config.largePoolBytes(), config.eagerLimitBytes())),
            config.checksum().wireCode(),
            config.initialWindowBytes(),
            config.eagerLimitBytes(),
            (int) (config.maxAckDelayNs() / 1000));
    RailInfo info =
        new RailInfo(
            port.attributes().receiveBufferBytes(),
            rail.maxPacketLength(),
            port.attributes().lossless());
    return new Introduction(
        config.incarnation(),
        config.name(),
        config.rank(),
        connectionId,
        limits,
        info,
        ports.localAddresses());
  }

  /** Why nothing could be exchanged with a node of such limits; null if it can. */
  @Nullable String whyIncompatible(Limits peer) {
    if (!ChecksumKind.isWireCode(peer.checksumCode())) {
      return "the code "
          + peer.checksumCode()
          + " stands for no kind of checksum that \""
          + config.name()
          + "\" knows";
    }
    if (peer.eagerLimit() != config.eagerLimitBytes()) {
      return "the eager limit must be the same on both sides; that of \""
          + config.name()
          + "\" is "
          + config.eagerLimitBytes()
          + " bytes";
    }
    return null;
  }
}
