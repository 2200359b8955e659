// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.RailAddress;
import org.jspecify.annotations.Nullable;

/** One datagram between a commit and the receiver's handler. */
final class SimPacket {
  final byte[] data;
  final int offset;
  final int length;
  final RailAddress source;
  final SimLink link;
  final @Nullable RailTally tally;

  /** What was done to it: one of the damage counters, or null. */
  @Nullable LinkCounter damage;

  SimPacket(
      byte[] data,
      int offset,
      int length,
      RailAddress source,
      SimLink link,
      @Nullable RailTally tally) {
    this.data = data;
    this.offset = offset;
    this.length = length;
    this.source = source;
    this.link = link;
    this.tally = tally;
  }

  /** Counts for the link and for the rail of the connection that it belongs to. */
  void count(LinkCounter counter) {
    link.count(counter, tally);
  }

  /** Counts that it was handed up, and in which condition. */
  void countDelivered() {
    count(LinkCounter.DELIVERED);
    LinkCounter d = damage;
    if (d != null) {
      count(d);
    }
  }
}
