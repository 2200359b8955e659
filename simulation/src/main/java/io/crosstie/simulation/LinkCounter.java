// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

/** What became of the packets of one direction of a link. */
public enum LinkCounter {
  /** Given to the link. */
  SENT,
  /** Copies made by the link besides. */
  REPEATED,
  /** Handed to the receiving engine, damaged ones included. */
  DELIVERED,
  /** Lost one by one. */
  LOST,
  /** Lost in a burst. */
  LOST_IN_BURST,
  /** No room in front of the link. */
  QUEUE_FULL,
  /** Longer than the link carries. */
  TOO_BIG,
  /** The link was cut. */
  CUT,
  /** Nobody listened at the other end. */
  NO_PORT,
  /** The receiver's buffer was full. */
  OVERFLOW,
  /** The receiver closed before it looked. */
  UNREAD,
  /** Delivered with a damaged header, or cut short within it. */
  HEADER_DAMAGED,
  /** Delivered with a damaged payload under a sound header. */
  PAYLOAD_DAMAGED,
  /** Delivered short, with a sound header. */
  TRUNCATED;

  /** Whether it says that a packet is gone. */
  public boolean isDrop() {
    return switch (this) {
      case LOST, LOST_IN_BURST, QUEUE_FULL, TOO_BIG, CUT, NO_PORT, OVERFLOW, UNREAD -> true;
      default -> false;
    };
  }
}
