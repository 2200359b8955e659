// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** A channel's priority; chosen per packet, and the low one keeps at least a sixteenth. */
public enum Priority {
  /** Before NORMAL wherever both have something to send. */
  HIGH,
  /** The default. */
  NORMAL;

  io.crosstie.reliability.channel.Priority core() {
    return this == HIGH
        ? io.crosstie.reliability.channel.Priority.HIGH
        : io.crosstie.reliability.channel.Priority.NORMAL;
  }
}
