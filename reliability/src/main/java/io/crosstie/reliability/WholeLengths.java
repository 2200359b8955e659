// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability;

import io.crosstie.reliability.wire.WholeFrame;

/** The lengths of a frame that whole messages are being added to, for as long as they fit. */
final class WholeLengths {
  private static final int MAX_COUNT = 0xffff;

  private byte[] header = {};
  private int frame;
  private int count;
  private int bytes;
  private int frameBytes;
  private int room;
  private int frameRoom;

  /**
   * Goes on with a frame, which is the last of its header.
   *
   * @param countBefore how many messages are in, 1 or more
   * @param packetRoom bytes left for the frame and payload together
   * @param headerRoom bytes left for the frame
   */
  void open(byte[] memory, int frameAt, int countBefore, int packetRoom, int headerRoom) {
    header = memory;
    frame = frameAt;
    count = countBefore;
    bytes = 0;
    frameBytes = 0;
    room = packetRoom;
    frameRoom = headerRoom;
  }

  /**
   * Adds a message.
   *
   * @param length at most {@link WholeFrame#MAX_SHARED_LENGTH}
   * @return false if it does not fit
   */
  boolean add(int length) {
    int n = count;
    int grown = WholeFrame.growth(n);
    if (grown + length > room || grown > frameRoom || n == MAX_COUNT) {
      return false;
    }
    WholeFrame.appendLength(header, frame, n, length);
    room -= grown + length;
    frameRoom -= grown;
    frameBytes += grown;
    bytes += length;
    count = n + 1;
    return true;
  }

  /** Payload bytes that were added. */
  int bytes() {
    return bytes;
  }

  /** By how many bytes the frame has grown. */
  int frameBytes() {
    return frameBytes;
  }

  /** How many messages are in. */
  int count() {
    return count;
  }
}
