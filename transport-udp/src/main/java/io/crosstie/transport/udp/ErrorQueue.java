// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_LEVEL;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_TYPE;
import static io.crosstie.transport.linux.SocketAbi.IPPROTO_IP;
import static io.crosstie.transport.linux.SocketAbi.IPPROTO_IPV6;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROL;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROLLEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAME;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAMELEN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * What the network answered to packets that had left already (nobody listens, no route, too big),
 * with the address each answer is about: {@code IP_RECVERR}. The kernel announces one by failing
 * the next call on the socket, whatever that call was for, so that after an error this queue is
 * read first and the call made again.
 */
final class ErrorQueue {
  private static final int CONTROL_BYTES = 512;

  /** Most errors taken at once, so that a flood of them cannot hold the engine. */
  private static final int MAX_PER_CALL = 32;

  private final Libc libc;
  private final int fd;
  private final long seed;
  private final MemorySegment header;
  private final MemorySegment name;
  private final MemorySegment control;

  /** Hears about errors. */
  interface Listener {
    /** The error concerns packets to the peer with that key. */
    void onError(long peerKey, int errno);
  }

  ErrorQueue(Arena arena, Libc libc, int fd, long seed) {
    this.libc = libc;
    this.fd = fd;
    this.seed = seed;
    header = arena.allocate(MSGHDR_BYTES, 8);
    name = arena.allocate(SockAddr.SLOT_BYTES, 8);
    control = arena.allocate(CONTROL_BYTES, 8);
    header.set(JAVA_LONG, MSGHDR_NAME, name.address());
    header.set(JAVA_LONG, MSGHDR_CONTROL, control.address());
  }

  /** Takes what is queued. Returns how many there were. */
  int drain(Listener listener) {
    int found = 0;
    while (found < MAX_PER_CALL) {
      header.set(JAVA_INT, MSGHDR_NAMELEN, SockAddr.SLOT_BYTES);
      header.set(JAVA_LONG, MSGHDR_CONTROLLEN, (long) CONTROL_BYTES);
      long result = libc.tryRecvmsg(fd, header, SocketAbi.MSG_ERRQUEUE | SocketAbi.MSG_DONTWAIT);
      if (result < 0) {
        break;
      }
      found++;
      int errno = errno();
      if (errno != 0 && header.get(JAVA_INT, MSGHDR_NAMELEN) > 0) {
        listener.onError(SockAddr.key(name, 0, seed), errno);
      }
    }
    return found;
  }

  /** The number in the control message {@code struct sock_extended_err}, or 0. */
  private int errno() {
    long length = Math.min(CONTROL_BYTES, header.get(JAVA_LONG, MSGHDR_CONTROLLEN));
    long at = 0;
    while (at + CMSGHDR_BYTES + 4 <= length) {
      long size = control.get(JAVA_LONG, at);
      int level = control.get(JAVA_INT, at + CMSGHDR_LEVEL);
      int type = control.get(JAVA_INT, at + CMSGHDR_TYPE);
      if ((level == IPPROTO_IP && type == SocketAbi.IP_RECVERR)
          || (level == IPPROTO_IPV6 && type == SocketAbi.IPV6_RECVERR)) {
        return control.get(JAVA_INT, at + CMSGHDR_BYTES);
      }
      if (size < CMSGHDR_BYTES) {
        break;
      }
      at += (size + 7) & ~7;
    }
    return 0;
  }
}
