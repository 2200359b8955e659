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

/**
 * What simulated rails have in common: the claim, one at a time, in memory that is dirty on
 * purpose.
 */
public abstract class SimRail implements Rail {
  private static final byte DIRT = (byte) 0xa7;

  final SimPort port;
  private final RailAddress remote;
  private final MemorySegment memory;
  private int claimed;
  private int claimOffset;
  private boolean closedReported;
  private boolean closed;

  SimRail(SimPort port, RailAddress remote) {
    this.port = port;
    this.remote = remote;
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

  /** Whether a packet of that length can be taken: 0, {@link #WOULD_BLOCK} or {@link #CLOSED}. */
  abstract int admits(int length);

  /** Takes a packet. */
  abstract void take(byte[] packet);

  /** The port has failed. */
  abstract void portFailed();

  /** Its owner closes it. */
  abstract void onClose();

  boolean isClosed() {
    return closed;
  }

  @Override
  public long claim(int length) {
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
    int answer = admits(length);
    if (answer != 0) {
      if (answer == WOULD_BLOCK) {
        port.counters().increment(PortCounter.CLAIMS_REFUSED);
      }
      return answer;
    }
    claimed = length;
    // shared memory is aligned, a batch of datagrams is not
    claimOffset = port.profile().ring() ? 0 : (claimOffset + 3) & 7;
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
      take(memory.asSlice(claimOffset, length).toArray(ValueLayout.JAVA_BYTE));
    }
  }

  @Override
  public void abort() {
    claimed = 0;
  }

  /** True once: when the end has to be told. */
  boolean takeClosedReport() {
    if (closed || closedReported) {
      return false;
    }
    closedReported = true;
    return true;
  }

  @Override
  public boolean isOpen() {
    return !closed && !closedReported;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      claimed = 0;
      onClose();
      port.forget(this);
    }
  }

  @Override
  public String toString() {
    return port.localAddress() + " -> " + remote;
  }
}
