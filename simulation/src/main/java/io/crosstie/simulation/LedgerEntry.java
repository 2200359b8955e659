// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.multirail.connection.Connection;
import io.crosstie.reliability.channel.ChannelCore;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * One direction of one channel between two incarnations, as the simulator itself remembers it: what
 * was offered, what was delivered, what was reported. The protocol knows nothing of it.
 */
final class LedgerEntry {
  private static final long MESSAGE_COST = 64;
  private static final long EAGER_LIMIT = 64 << 10;

  final String sender;
  final long senderIncarnation;
  final String receiver;
  final int channel;

  /** How many channels of that number there were before on the connection. */
  final int use;

  /** The sender's end. */
  final Connection connection;

  final ChannelCore core;

  /** 0 until the peer answered. */
  long receiverIncarnation;

  /** When the peer answered, or -1. */
  long upNs = -1;

  /** The receiver's end, once it delivered something. */
  @Nullable ChannelCore receiverCore;

  private long[] lengths = new long[64];
  private long[] hashes = new long[64];

  /** What all messages up to one cost against the credit. */
  private long[] costs = new long[64];

  private boolean[] completed = new boolean[64];
  long offered;
  long delivered;
  long deliveredBytes;
  long offeredBytes;
  long lastAccepted;

  /** Since when its oldest message that is not accepted is the oldest. */
  long waitsSinceNs;

  /** Lent messages whose completion was told without an error, and with one. */
  long lent;

  long completions;
  long completionErrors;

  /** Reported by an event when the connection ended; none if {@code unknownFirst} is 0. */
  long unknownFirst;

  long unknownLast;
  boolean ended;

  /** The receiver has its bound of channels: nothing is taken, and what was offered is named. */
  boolean refused;

  long refusedUpTo;

  /** What the receiver had received when its process died, or -1. */
  long receivedAtDeath = -1;

  boolean senderDied;

  LedgerEntry(
      String sender,
      long senderIncarnation,
      String receiver,
      int channel,
      int use,
      Connection connection,
      ChannelCore core) {
    this.sender = sender;
    this.senderIncarnation = senderIncarnation;
    this.receiver = receiver;
    this.channel = channel;
    this.use = use;
    this.connection = connection;
    this.core = core;
  }

  void offer(long sequence, long length, long hash) {
    if (sequence != offered + 1) {
      throw new Violation(
          "4 order", this + ": offer answered sequence " + sequence + " after " + offered);
    }
    if (offered + 1 >= lengths.length) {
      lengths = Arrays.copyOf(lengths, lengths.length * 2);
      hashes = Arrays.copyOf(hashes, hashes.length * 2);
      costs = Arrays.copyOf(costs, costs.length * 2);
      completed = Arrays.copyOf(completed, completed.length * 2);
    }
    offered = sequence;
    offeredBytes += length;
    lengths[(int) sequence] = length;
    hashes[(int) sequence] = hash;
    long small = length <= EAGER_LIMIT ? (length + 7) / 8 * 8 : 0;
    costs[(int) sequence] = costs[(int) sequence - 1] + MESSAGE_COST + small;
  }

  /** What all messages up to that one cost. */
  long cost(long sequence) {
    return costs[(int) sequence];
  }

  void deliver(long sequence, long length, long hash) {
    if (sequence <= delivered) {
      throw new Violation(
          "2 exactly once", this + ": message " + sequence + " came again after " + delivered);
    }
    if (sequence != delivered + 1) {
      throw new Violation("4 order", this + ": message " + sequence + " came after " + delivered);
    }
    if (sequence > offered) {
      throw new Violation("1 conservation", this + ": message " + sequence + " was never offered");
    }
    if (length != lengths[(int) sequence]) {
      throw new Violation(
          "3 integrity",
          this
              + ": message "
              + sequence
              + " has "
              + length
              + " bytes, not "
              + lengths[(int) sequence]);
    }
    if (hash != hashes[(int) sequence]) {
      throw new Violation(
          "3 integrity", this + ": message " + sequence + " of " + length + " bytes was changed");
    }
    delivered = sequence;
    deliveredBytes += length;
  }

  void complete(long sequence, @Nullable String error) {
    if (sequence < 1 || sequence > offered || completed[(int) sequence]) {
      throw new Violation("2 exactly once", this + ": completion of " + sequence + " told twice");
    }
    completed[(int) sequence] = true;
    if (error == null) {
      completions++;
      if (core.acceptedSequence() < sequence) {
        throw new Violation(
            "5 data ack",
            this
                + ": memory of "
                + sequence
                + " given back, accepted is "
                + core.acceptedSequence());
      }
    } else {
      completionErrors++;
    }
  }

  @Override
  public String toString() {
    return sender
        + "("
        + Long.toHexString(senderIncarnation)
        + ") -> "
        + receiver
        + "("
        + Long.toHexString(receiverIncarnation)
        + ") channel "
        + channel
        + (use == 0 ? "" : ", use " + use);
  }
}
