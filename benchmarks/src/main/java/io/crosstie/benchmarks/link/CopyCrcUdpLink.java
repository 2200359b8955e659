// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The limit for whoever keeps the data whole: one copy and one CRC-32C of every payload on each
 * side, a header of 32 bytes before it, and no protocol. What the kernel drops is lost.
 *
 * <p>Datagrams of one message and of the following ones are put behind one another and leave by one
 * call.
 */
final class CopyCrcUdpLink implements Link {
  private static final int HEADER = 32;
  private static final int OFFSET_AT = 8;
  private static final int CRC_AT = 12;
  private static final int RECEIVE_BYTES = 1 << 16;
  private static final int MAX_BATCH_BYTES = 65_507;
  private static final int SEND_ATTEMPTS = 1_000_000;

  private final UdpSocket socket = new UdpSocket();
  private final Arena arena = Arena.ofShared();
  private final CRC32C crc = new CRC32C();
  private final MemorySegment batch = arena.allocate(RECEIVE_BYTES, 64);
  private final MemorySegment received = arena.allocate(RECEIVE_BYTES, 64);
  private final ByteBuffer batchBytes = batch.asByteBuffer();
  private final ByteBuffer receivedBytes = received.asByteBuffer();
  private final MemorySegment messages;

  /** Where received messages are put together. */
  private final MemorySegment assembled;

  private final int fd = socket.fd();
  private final int size;
  private final int payloadBytes;
  private final int maxSegments;
  private int segments;
  private int batchLength;
  private long sequence;

  CopyCrcUdpLink(LinkSpec spec, int maxDatagramBytes) {
    messages = spec.messages();
    size = spec.size();
    payloadBytes = Math.min(maxDatagramBytes - HEADER, size);
    int datagramBytes = payloadBytes + HEADER;
    maxSegments = Math.min(SocketAbi.UDP_MAX_SEGMENTS, MAX_BATCH_BYTES / datagramBytes);
    assembled = arena.allocate(size, 64);
    if (maxSegments > 1) {
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
    sequence++;
    for (int at = 0; at < length; at += payloadBytes) {
      append(messages, offset + at, at, Math.min(payloadBytes, length - at));
    }
    return true;
  }

  private void append(MemorySegment memory, long from, int at, int length) {
    int start = batchLength;
    batch.set(ValueLayout.JAVA_LONG_UNALIGNED, start, sequence);
    batch.set(ValueLayout.JAVA_INT_UNALIGNED, start + OFFSET_AT, at);
    MemorySegment.copy(memory, from, batch, start + HEADER, length);
    batch.set(
        ValueLayout.JAVA_INT_UNALIGNED,
        start + CRC_AT,
        checksum(batchBytes, start + HEADER, length));
    batchLength += HEADER + length;
    if (++segments == maxSegments || length < payloadBytes) {
      flush();
    }
  }

  private int checksum(ByteBuffer buffer, int offset, int length) {
    buffer.limit(offset + length).position(offset);
    crc.reset();
    crc.update(buffer);
    return (int) crc.getValue();
  }

  private void flush() {
    for (int attempt = 0;
        batchLength > 0 && Native.send(fd, batch, 0, batchLength) < 0;
        attempt++) {
      if (attempt == SEND_ATTEMPTS) {
        throw new LinkException("the kernel does not take a datagram");
      }
    }
    batchLength = 0;
    segments = 0;
  }

  @Override
  public void progress() {
    flush();
  }

  @Override
  public int poll(Sink sink) {
    flush();
    int length = (int) Native.receive(fd, received);
    int pieces = 0;
    for (int at = 0; at < length; at += HEADER + payloadBytes) {
      int payload = Math.min(payloadBytes, length - at - HEADER);
      int offset = take(at, payload);
      sink.onData(assembled, offset, payload);
      pieces++;
    }
    return pieces;
  }

  private int take(int at, int payload) {
    int offset = received.get(ValueLayout.JAVA_INT_UNALIGNED, at + OFFSET_AT);
    int expected = received.get(ValueLayout.JAVA_INT_UNALIGNED, at + CRC_AT);
    if (checksum(receivedBytes, at + HEADER, payload) != expected) {
      throw new LinkException("a datagram's checksum is wrong");
    }
    MemorySegment.copy(received, at + HEADER, assembled, offset, payload);
    return offset;
  }

  @Override
  public int echo() {
    int length = (int) Native.receive(fd, received);
    int pieces = 0;
    for (int at = 0; at < length; at += HEADER + payloadBytes) {
      int payload = Math.min(payloadBytes, length - at - HEADER);
      int offset = take(at, payload);
      append(assembled, offset, offset, payload);
      pieces++;
    }
    flush();
    return pieces;
  }

  @Override
  public void close() {
    socket.close();
    arena.close();
  }
}
