// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** One small packet to the sender of another one, beside the batch. */
final class ReplyBuffer {
  /** Longest reply, in bytes. */
  static final int MAX_BYTES = 1200;

  private final MemorySegment memory;
  private final MemorySegment header;
  private final MemorySegment iovec;
  private final MemorySegment name;
  private final MemorySegment control;

  ReplyBuffer(Arena arena, int family) {
    memory = arena.allocate(MAX_BYTES, 64);
    header = arena.allocate(SocketAbi.MSGHDR_BYTES, 8);
    iovec = arena.allocate(SocketAbi.IOVEC_BYTES, 8);
    name = arena.allocate(SockAddr.SLOT_BYTES, 8);
    control = arena.allocate(PacketInfo.CONTROL_BYTES, 8);
    iovec.set(JAVA_LONG, 0, memory.address());
    header.set(JAVA_LONG, SocketAbi.MSGHDR_IOV, iovec.address());
    header.set(JAVA_LONG, SocketAbi.MSGHDR_IOVLEN, 1L);
    header.set(JAVA_LONG, SocketAbi.MSGHDR_NAME, name.address());
    header.set(JAVA_INT, SocketAbi.MSGHDR_NAMELEN, SockAddr.length(family));
    header.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROL, control.address());
  }

  /**
   * Copies packet and address.
   *
   * @param from which of this host's addresses it leaves from; null to leave that to the system
   */
  void fill(
      MemorySegment packet,
      long offset,
      int length,
      MemorySegment names,
      long nameOffset,
      @Nullable PacketInfo from) {
    checkLength(length);
    MemorySegment.copy(packet, offset, memory, 0, length);
    MemorySegment.copy(names, nameOffset, name, 0, SockAddr.SLOT_BYTES);
    iovec.set(JAVA_LONG, 8, (long) length);
    long controlLength = from == null ? 0 : from.write(control, 0);
    header.set(JAVA_LONG, SocketAbi.MSGHDR_CONTROLLEN, controlLength);
  }

  static void checkLength(int length) {
    if (length < 1 || length > MAX_BYTES) {
      throw new IllegalArgumentException("a reply has 1 to " + MAX_BYTES + " bytes, not " + length);
    }
  }

  /** The msghdr. */
  MemorySegment header() {
    return header;
  }
}
