// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/** An address to send to, through the batch of its port. */
final class NettyUdpRail implements Rail {
  private final NettyUdpPort port;
  private final NettyQueue queue;
  private final InetSocketAddress inetAddress;
  private final RailAddress remoteAddress;
  private final long remoteKey;
  private boolean closed;

  NettyUdpRail(NettyUdpPort port, NettyQueue queue, InetSocketAddress inetAddress, long remoteKey) {
    this.port = port;
    this.queue = queue;
    this.inetAddress = inetAddress;
    this.remoteAddress = new RailAddress(UdpAddress.text(inetAddress));
    this.remoteKey = remoteKey;
  }

  /** The socket that its packets leave by. */
  NettyQueue queue() {
    return queue;
  }

  InetSocketAddress inetAddress() {
    return inetAddress;
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
    return queue.sender.memory();
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
