// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.wire.MessageRefusedFrame;

/** What became of a put, a get or an atomic operation. */
public enum RegionStatus {
  /** It was done: all bytes are in their place, there or here, or the word is as it has to be. */
  DONE,
  /** The peer has no open region of that key; it may have been closed meanwhile. */
  NO_REGION,
  /** This node has no such right there. */
  NO_RIGHT,
  /** It does not lie within the region. */
  OUT_OF_REGION,
  /** It could not be done, or nobody knows whether it was; the error says why. */
  FAILED;

  static RegionStatus of(int reason, boolean failed) {
    return switch (reason) {
      case MessageRefusedFrame.NO_REGION -> NO_REGION;
      case MessageRefusedFrame.NO_RIGHT -> NO_RIGHT;
      case MessageRefusedFrame.OUT_OF_REGION -> OUT_OF_REGION;
      default -> failed ? FAILED : DONE;
    };
  }
}
