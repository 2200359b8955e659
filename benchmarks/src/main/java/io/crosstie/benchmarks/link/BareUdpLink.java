// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The limit: connected sockets and nothing else. Messages leave from where they lie, in datagrams
 * of at most so many bytes, and are handed over piece by piece from where the kernel put them. No
 * header, no copy of our own, no check; what the kernel drops is lost.
 *
 * <p>With offload, messages that lie behind one another leave by one call.
 */
final class BareUdpLink implements Link {
  private static final int RECEIVE_BYTES = 1 << 16;
  private static final int MAX_BATCH_BYTES = 65_507;

  /** A send on loopback is refused for moments only, by a peer that is just being opened. */
  private static final int SEND_ATTEMPTS = 1_000_000;

  private final UdpSocket socket = new UdpSocket();
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment received = arena.allocate(RECEIVE_BYTES, 64);
  private final MemorySegment messages;
  private final int fd = socket.fd();
  private final int datagramBytes;
  private final int batchBytes;
  private long pendingFrom;
  private long pendingTo;

  BareUdpLink(LinkSpec spec, int maxDatagramBytes, boolean offload) {
    messages = spec.messages();
    datagramBytes = Math.min(maxDatagramBytes, spec.size());
    batchBytes =
        offload
            ? datagramBytes * Math.min(SocketAbi.UDP_MAX_SEGMENTS, MAX_BATCH_BYTES / datagramBytes)
            : datagramBytes;
    if (offload) {
      socket.option(SocketAbi.SOL_UDP, SocketAbi.UDP_SEGMENT, datagramBytes);
      socket.option(SocketAbi.SOL_UDP, SocketAbi.UDP_GRO, 1);
    }
  }

  @Override
  public String address() {
    return Integer.toString(socket.port());
  }

  @Override
  public void connect(String peer) {
    socket.connect(Integer.parseInt(peer));
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public boolean send(long offset, int length) {
    if (pendingTo != offset) {
      flush();
      pendingFrom = offset;
    }
    pendingTo = offset + length;
    while (pendingTo - pendingFrom >= batchBytes) {
      transmit(messages, pendingFrom, batchBytes);
      pendingFrom += batchBytes;
    }
    if (length % datagramBytes != 0) {
      flush(); // the segments of a batch are of one size, apart from the last
    }
    return true;
  }

  private void flush() {
    if (pendingTo > pendingFrom) {
      transmit(messages, pendingFrom, pendingTo - pendingFrom);
      pendingFrom = pendingTo;
    }
  }

  private void transmit(MemorySegment memory, long offset, long length) {
    for (int attempt = 0; Native.send(fd, memory, offset, length) < 0; attempt++) {
      if (attempt == SEND_ATTEMPTS) {
        throw new LinkException("the kernel does not take a datagram");
      }
    }
  }

  @Override
  public void progress() {
    flush();
  }

  @Override
  public int poll(Sink sink) {
    flush();
    long length = Native.receive(fd, received);
    if (length <= 0) {
      return 0;
    }
    sink.onData(received, 0, length);
    return 1;
  }

  @Override
  public int echo() {
    long length = Native.receive(fd, received);
    if (length <= 0) {
      return 0;
    }
    transmit(received, 0, length);
    return 1;
  }

  @Override
  public void close() {
    socket.close();
    arena.close();
  }
}
