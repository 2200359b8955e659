// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;

/** A Netty buffer as a segment. */
final class NettyBytes {
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private NettyBytes() {}

  static int deliver(ByteBuf bytes, Words words, Sink sink) {
    int length = bytes.readableBytes();
    return bytes.hasMemoryAddress()
        ? words.take(MEMORY, bytes.memoryAddress() + bytes.readerIndex(), length, sink)
        : words.take(MemorySegment.ofBuffer(bytes.nioBuffer()), 0, length, sink);
  }
}
