// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.thread;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** The engine's side of a rail that a port's own thread uses. */
final class OwnThreadRail implements Rail {
  private final OwnThreadPort port;

  /** The port's thread's, but for what never changes. */
  final Rail inner;

  /** The address of this host that the peer knows; null if the port has one only. */
  final @Nullable RailAddress local;

  /** Its place in the port's table, which packets name it by. */
  final int index;

  private final RailAddress remoteAddress;
  private final long remoteKey;
  private final int maxPacketLength;

  /** Written by the engine, before the mark: which of the port's rails it is that was closed. */
  private int closing;

  /** Written by the engine. */
  private volatile boolean closed;

  /** Written by the port's thread: the inner one is of no use any more. */
  volatile boolean dead;

  /** Whether it has packets to flush; the port's thread's. */
  boolean touched;

  OwnThreadRail(OwnThreadPort port, Rail inner, @Nullable RailAddress local, int index) {
    this.local = local;
    this.port = port;
    this.inner = inner;
    this.index = index;
    this.remoteAddress = inner.remoteAddress();
    this.remoteKey = inner.remoteKey();
    this.maxPacketLength = inner.maxPacketLength();
  }

  @Override
  public RailPort port() {
    return port;
  }

  @Override
  public RailAddress remoteAddress() {
    return remoteAddress;
  }

  @Override
  public long remoteKey() {
    return remoteKey;
  }

  @Override
  public int maxPacketLength() {
    return maxPacketLength;
  }

  @Override
  public long claim(int length) {
    return port.claim(this, length);
  }

  @Override
  public MemorySegment txMemory() {
    return port.txMemory();
  }

  @Override
  public void commit(int length) {
    port.commit(this, length);
  }

  @Override
  public void abort() {
    port.abort(this);
  }

  @Override
  public void flush() {
    port.wakeThread();
  }

  @Override
  public long consumed() {
    return -1;
  }

  @Override
  public boolean isOpen() {
    return !closed && !dead && port.isOpen();
  }

  /**
   * The port's thread: whether it was closed, and was so by then.
   *
   * @param closings how many rails of the port had been closed
   */
  boolean isClosedBy(int closings) {
    return closed && closing - closings <= 0;
  }

  @Override
  public void close() {
    if (!closed) {
      closing = port.closings() + 1;
      closed = true;
      port.onRailClosed(this);
    }
  }

  @Override
  public String toString() {
    return "rail to " + remoteAddress;
  }
}
