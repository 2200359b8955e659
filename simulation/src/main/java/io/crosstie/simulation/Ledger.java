// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.ChannelCore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All lanes. */
final class Ledger {
  private final List<Lane> lanes = new ArrayList<>();

  List<Lane> lanes() {
    return lanes;
  }

  Lane open(
      String sender,
      long incarnation,
      String receiver,
      Connection connection,
      ChannelCore core,
      int use,
      long nowNs) {
    Lane lane = new Lane(sender, incarnation, receiver, core.number(), use, connection, core);
    lane.receiverIncarnation = connection.peerIncarnation();
    lane.upNs = lane.receiverIncarnation == 0 ? -1 : nowNs;
    lanes.add(lane);
    return lane;
  }

  /** The peer answered: now it is known who receives. */
  void bind(Connection connection, long receiverIncarnation, long nowNs) {
    for (Lane lane : lanes) {
      if (lane.connection == connection && lane.receiverIncarnation == 0) {
        lane.receiverIncarnation = receiverIncarnation;
        lane.upNs = nowNs;
      }
    }
  }

  /**
   * The lane that a receiver's channel is the end of: both ends of a connection know the sender's
   * id for it.
   *
   * @param use how many channels of that number the receiver has seen the end of
   */
  Lane find(
      String receiver, long receiverIncarnation, Connection connection, ChannelCore core, int use) {
    for (Lane lane : lanes) {
      if (lane.channel == core.number()
          && lane.use == use
          && lane.connection.id() == connection.peerId()
          && lane.senderIncarnation == connection.peerIncarnation()
          && lane.receiverIncarnation == receiverIncarnation
          && lane.sender.equals(connection.peerName())
          && lane.receiver.equals(receiver)) {
        lane.receiverCore = core;
        return lane;
      }
    }
    throw new Violation(
        "6 incarnation",
        receiver
            + "("
            + Long.toHexString(receiverIncarnation)
            + ") channel "
            + core.number()
            + (use == 0 ? "" : ", use " + use)
            + ": delivery from "
            + connection.peerName()
            + "("
            + Long.toHexString(connection.peerIncarnation())
            + "), who offered nothing to it");
  }

  /** A process dies: what it had received stays known. */
  void died(String node, long incarnation, Function<Lane, @Nullable ChannelCore> receivers) {
    for (Lane lane : lanes) {
      if (lane.sender.equals(node) && lane.senderIncarnation == incarnation) {
        lane.senderDied = true;
      }
      if (lane.receiver.equals(node) && lane.receiverIncarnation == incarnation) {
        ChannelCore core = lane.receiverCore != null ? lane.receiverCore : receivers.apply(lane);
        lane.receivedAtDeath = core == null ? 0 : core.receivedSequence();
      }
    }
  }
}
