// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Health of a rail. */
public enum RailState {
  /** Not yet proved: a challenge is out. */
  UNVALIDATED,
  /** In use. */
  ACTIVE,
  /**
   * Silent for longer than its round trips explain; what is outstanding was sent again elsewhere.
   */
  SUSPECT,
  /** Given up while another rail proved the peer alive. */
  DOWN,
  /** Answering probes again, but not trusted yet. */
  PROBING,
  /** Removed by one side. */
  REMOVED;

  private static final RailState[] ALL = values();

  static RailState of(io.crosstie.multirail.event.RailState state) {
    return ALL[state.ordinal()]; // the same ones in the same order
  }
}
