// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.RailAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * A rail of datagrams: a batch that leaves at flush, and claims refused while too much waits in
 * front of the link.
 */
final class SimDatagramRail extends SimRail {
  private static final int BATCH = 64;

  private final SimLink link;
  private final List<byte[]> batch = new ArrayList<>();
  private long batchBytes;

  SimDatagramRail(SimPort port, RailAddress remote) {
    super(port, remote);
    this.link = port.network().link(port.localAddress(), remote);
  }

  @Override
  int admits(int length) {
    if (!port.isUsable()) {
      return CLOSED;
    }
    return link.backlogBytes() + batchBytes + length > port.profile().sendBufferBytes()
        ? WOULD_BLOCK
        : 0;
  }

  @Override
  void take(byte[] packet) {
    batch.add(packet);
    batchBytes += packet.length;
    if (batch.size() == BATCH) {
      flush();
    }
  }

  @Override
  public void flush() {
    for (byte[] packet : batch) {
      if (port.isUsable()) {
        port.countOut(packet.length);
        link.send(packet, 0, packet.length);
      } else {
        link.sendNowhere(packet);
      }
    }
    batch.clear();
    batchBytes = 0;
  }

  @Override
  public long consumed() {
    return -1;
  }

  @Override
  void portFailed() {}

  @Override
  void onClose() {
    flush();
  }
}
