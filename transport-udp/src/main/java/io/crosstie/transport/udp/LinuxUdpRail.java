// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An address to send to, through the batch of its port. Holds no native memory: thousands are
 * cheap.
 */
final class LinuxUdpRail implements Rail {
  private final LinuxUdpPort port;
  private final RailAddress remoteAddress;
  private final long remoteKey;
  private final SockAddr address;
  private final @Nullable PacketInfo local;
  private SocketQueue queue;
  private boolean closed;

  LinuxUdpRail(
      LinuxUdpPort port,
      RailAddress remoteAddress,
      long remoteKey,
      SockAddr address,
      @Nullable PacketInfo local,
      SocketQueue queue) {
    this.port = port;
    this.queue = queue;
    this.remoteAddress = remoteAddress;
    this.remoteKey = remoteKey;
    this.address = address;
    this.local = local;
  }

  SockAddr address() {
    return address;
  }

  /** The address of this host that the peer knows; null where the system chooses it. */
  @Nullable PacketInfo local() {
    return local;
  }

  /** The socket and batch that its packets leave by. */
  SocketQueue queue() {
    return queue;
  }

  void setQueue(SocketQueue queue) {
    this.queue = queue;
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
    return port.maxPacketLength();
  }

  @Override
  public long claim(int length) {
    return port.claim(this, length);
  }

  @Override
  public MemorySegment txMemory() {
    return queue.batch().memory();
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
    port.flush(queue);
  }

  @Override
  public long consumed() {
    return -1;
  }

  @Override
  public boolean isOpen() {
    return !closed && port.isOpen();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      port.onRailClosed(this);
    }
  }

  @Override
  public String toString() {
    return "rail to " + remoteAddress;
  }
}
