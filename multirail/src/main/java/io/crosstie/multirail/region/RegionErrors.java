// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.reliability.wire.MessageRefusedFrame;

/** Why a peer does not do what concerns a region, in words that say what to do. */
public final class RegionErrors {
  private RegionErrors() {}

  /**
   * The words.
   *
   * @param reason of {@link MessageRefusedFrame}
   */
  public static String text(int reason) {
    return switch (reason) {
      case MessageRefusedFrame.NO_REGION ->
          "the peer has no open region of that key; have it export one, and tell its key anew";
      case MessageRefusedFrame.NO_RIGHT ->
          "this node has no such right to that region; have the peer export it with that right,"
              + " for this node or for all";
      case MessageRefusedFrame.OUT_OF_REGION ->
          "it does not lie within the region; compare offset and length with the region's";
      case MessageRefusedFrame.TOO_LONG ->
          "it is longer than the peer sends at once; ask for less, or raise maxMessageBytes there";
      default ->
          "the peer could not do it (reason "
              + reason
              + "), as when the memory of its region cannot be read any more; have it look there";
    };
  }
}
