// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.reliability.channel;

import io.crosstie.reliability.wire.EagerFrame;

/**
 * A frame that the lengths of eager messages are being added to. Whoever adds them keeps count by
 * himself and tells it at the end: there are as many steps as there are messages.
 */
public final class EagerLengths {
  private static final int MAX_COUNT = 0xffff;

  private byte[] header = {};
  private int frame;
  private int countBefore;
  private int count;
  private int most;
  private int room;
  private int roomLeft;

  /**
   * Goes on with a frame, which is the last of its header.
   *
   * @param before how many messages are in, 1 or more
   * @param packetRoom bytes left for the frame and payload together
   * @param headerRoom bytes left for the frame
   */
  public void open(byte[] memory, int frameAt, int before, int packetRoom, int headerRoom) {
    header = memory;
    frame = frameAt;
    countBefore = before;
    count = before;
    most = Math.min(MAX_COUNT, EagerFrame.mostMessages(EagerFrame.length(before) + headerRoom));
    room = packetRoom;
    roomLeft = packetRoom;
  }

  /** The memory that the frame is in. */
  byte[] header() {
    return header;
  }

  /** Where it begins. */
  int frame() {
    return frame;
  }

  /** How many messages are in. */
  public int count() {
    return count;
  }

  /** How many lengths the header has room for. */
  int most() {
    return most;
  }

  /** Bytes that were left for lengths, see {@link EagerFrame#growth}, and payload together. */
  int room() {
    return room;
  }

  /** So many messages are in now, and so many of the bytes are left. */
  void added(int countNow, int roomNow) {
    count = countNow;
    roomLeft = roomNow;
  }

  /** Payload bytes that were added. */
  public int bytes() {
    return room - roomLeft - frameBytes();
  }

  /** By how many bytes the frame has grown. */
  public int frameBytes() {
    return EagerFrame.length(count) - EagerFrame.length(countBefore);
  }
}
