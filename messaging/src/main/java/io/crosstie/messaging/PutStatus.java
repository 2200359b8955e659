// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.wire.MessageRefusedFrame;

/** What became of a put. */
public enum PutStatus {
  /** All of it is in its place. */
  PLACED,
  /** The peer has no open region of that key; it may have been closed meanwhile. */
  NO_REGION,
  /** This node may not put there. */
  NO_RIGHT,
  /** It does not lie within the region. */
  OUT_OF_REGION,
  /** It could not be sent, or nobody knows whether it arrived; the error says why. */
  FAILED;

  static PutStatus of(int reason, boolean failed) {
    return switch (reason) {
      case MessageRefusedFrame.NO_REGION -> NO_REGION;
      case MessageRefusedFrame.NO_RIGHT -> NO_RIGHT;
      case MessageRefusedFrame.OUT_OF_REGION -> OUT_OF_REGION;
      default -> failed ? FAILED : PLACED;
    };
  }
}
