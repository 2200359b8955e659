// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.ChannelCore;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What the simulator itself remembers of all channels: one entry for each direction of each. */
final class Ledger {
  private final List<LedgerEntry> entries = new ArrayList<>();

  List<LedgerEntry> entries() {
    return entries;
  }

  LedgerEntry open(
      String sender,
      long incarnation,
      String receiver,
      Connection connection,
      ChannelCore core,
      int use,
      long nowNs) {
    LedgerEntry entry =
        new LedgerEntry(sender, incarnation, receiver, core.number(), use, connection, core);
    entry.receiverIncarnation = connection.peerIncarnation();
    entry.upNs = entry.receiverIncarnation == 0 ? -1 : nowNs;
    entries.add(entry);
    return entry;
  }

  /** The peer answered: now it is known who receives. */
  void bind(Connection connection, long receiverIncarnation, long nowNs) {
    for (LedgerEntry entry : entries) {
      if (entry.connection == connection && entry.receiverIncarnation == 0) {
        entry.receiverIncarnation = receiverIncarnation;
        entry.upNs = nowNs;
      }
    }
  }

  /**
   * The entry that a receiver's channel is the end of: both ends of a connection know the sender's
   * id for it.
   *
   * @param use how many channels of that number the receiver has seen the end of
   */
  LedgerEntry find(
      String receiver, long receiverIncarnation, Connection connection, ChannelCore core, int use) {
    for (LedgerEntry entry : entries) {
      if (entry.channel == core.number()
          && entry.use == use
          && entry.connection.id() == connection.peerId()
          && entry.senderIncarnation == connection.peerIncarnation()
          && entry.receiverIncarnation == receiverIncarnation
          && entry.sender.equals(connection.peerName())
          && entry.receiver.equals(receiver)) {
        entry.receiverCore = core;
        return entry;
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
  void died(String node, long incarnation, Function<LedgerEntry, @Nullable ChannelCore> receivers) {
    for (LedgerEntry entry : entries) {
      if (entry.sender.equals(node) && entry.senderIncarnation == incarnation) {
        entry.senderDied = true;
      }
      if (entry.receiver.equals(node) && entry.receiverIncarnation == incarnation) {
        ChannelCore core = entry.receiverCore != null ? entry.receiverCore : receivers.apply(entry);
        entry.receivedAtDeath = core == null ? 0 : core.receivedSequence();
      }
    }
  }
}
