// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import java.lang.foreign.MemorySegment;

/**
 * Receive buffers as stretches of one piece of memory, so that a packet is handed up by its offset
 * instead of by a view of its own. A buffer is free when nobody but this ring holds it.
 */
final class NettyReceiveBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
  private static final int BUFFERS = 16;
  private static final int BUFFER_BYTES = 64 << 10;

  private final MemorySegment memory;
  private final ByteBuf[] buffers = new ByteBuf[BUFFERS];
  private int next;

  NettyReceiveBuffers() {
    super(BUFFERS);
    // a short packet is no sign that there are no more
    boolean unused = respectMaybeMoreData(false).respectMaybeMoreData();
    // collected rather than closed: Netty may hold on to a buffer for a while
    memory = java.lang.foreign.Arena.ofAuto().allocate((long) BUFFERS * BUFFER_BYTES, 4096);
    for (int i = 0; i < BUFFERS; i++) {
      MemorySegment slice = memory.asSlice((long) i * BUFFER_BYTES, BUFFER_BYTES);
      buffers[i] = Unpooled.wrappedBuffer(slice.asByteBuffer());
    }
  }

  MemorySegment memory() {
    return memory;
  }

  /** Where the readable bytes lie in {@link #memory()}, or -1 if they do not. */
  long offset(ByteBuf content) {
    if (!content.hasMemoryAddress()) {
      return -1;
    }
    long offset = content.memoryAddress() + content.readerIndex() - memory.address();
    return offset >= 0 && offset + content.readableBytes() <= memory.byteSize() ? offset : -1;
  }

  @Override
  public ExtendedHandle newHandle() {
    return new RingHandle();
  }

  private final class RingHandle extends MaxMessageHandle {
    @Override
    public int guess() {
      return BUFFER_BYTES;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator allocator) {
      ByteBuf buffer = buffers[next];
      next = (next + 1) % BUFFERS;
      return buffer.refCnt() == 1 ? buffer.clear().retain() : allocator.directBuffer(BUFFER_BYTES);
    }
  }
}
