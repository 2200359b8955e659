// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.simulation;

import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

/**
 * A rail of datagrams: a batch that leaves at flush, and claims refused while too much waits in
 * front of the link. What is claimed, one packet at a time, is memory that is dirty on purpose.
 */
final class SimDatagramRail implements Rail {
  private static final byte DIRT = (byte) 0xa7;
  private static final int BATCH = 64;

  private final SimDatagramPort port;
  private final RailAddress remote;
  private final SimLink link;
  private final MemorySegment memory;
  private final List<byte[]> batch = new ArrayList<>();
  private long batchBytes;
  private int claimed;
  private int claimOffset;
  private boolean closed;

  SimDatagramRail(SimDatagramPort port, RailAddress remote) {
    this.port = port;
    this.remote = remote;
    this.link = port.network().link(port.localAddress(), remote);
    this.memory = Arena.ofAuto().allocate(port.profile().maxPacketLength() + 8L, 8);
  }

  @Override
  public RailPort port() {
    return port;
  }

  @Override
  public RailAddress remoteAddress() {
    return remote;
  }

  @Override
  public long remoteKey() {
    return port.network().keyOf(remote);
  }

  @Override
  public int maxPacketLength() {
    return port.profile().maxPacketLength();
  }

  @Override
  public long claim(int length) {
    port.host.mayStop();
    if (closed) {
      return CLOSED;
    }
    if (length < 1 || length > maxPacketLength()) {
      throw new IllegalArgumentException(
          "a packet has 1 to " + maxPacketLength() + " bytes on this rail, and not " + length);
    }
    if (claimed != 0) {
      throw new IllegalStateException("the last claim was neither committed nor aborted");
    }
    if (!port.isUsable()) {
      return CLOSED;
    }
    if (link.backlogBytes() + batchBytes + length > port.profile().sendBufferBytes()) {
      port.counters().increment(PortCounter.CLAIMS_REFUSED);
      return WOULD_BLOCK;
    }
    claimed = length;
    claimOffset = (claimOffset + 3) & 7; // a batch of datagrams is not aligned
    MemorySegment unused = memory.asSlice(claimOffset, Math.min(length, 256)).fill(DIRT);
    return claimOffset;
  }

  @Override
  public MemorySegment txMemory() {
    return memory;
  }

  @Override
  public void commit(int length) {
    if (claimed == 0) {
      if (closed) {
        return; // it died since the claim
      }
      throw new IllegalStateException("nothing is claimed");
    }
    if (length < 1 || length > claimed) {
      throw new IllegalArgumentException(length + " bytes, but " + claimed + " were claimed");
    }
    claimed = 0;
    if (!closed) {
      batch.add(memory.asSlice(claimOffset, length).toArray(ValueLayout.JAVA_BYTE));
      batchBytes += length;
      if (batch.size() == BATCH) {
        send();
      }
    }
  }

  @Override
  public void abort() {
    claimed = 0;
  }

  @Override
  public void flush() {
    if (batch.isEmpty()) {
      return;
    }
    port.host.mayStop();
    send();
  }

  private void send() {
    SimPortThread thread = port.thread();
    for (byte[] packet : batch) {
      if (thread != null) {
        thread.took();
      }
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
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      claimed = 0;
      send();
      port.forget(this);
    }
  }

  @Override
  public String toString() {
    return port.localAddress() + " -> " + remote;
  }
}
