// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_LEVEL;
import static io.crosstie.transport.linux.SocketAbi.CMSGHDR_TYPE;
import static io.crosstie.transport.linux.SocketAbi.IOVEC_BYTES;
import static io.crosstie.transport.linux.SocketAbi.MMSGHDR_BYTES;
import static io.crosstie.transport.linux.SocketAbi.MMSGHDR_LEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROL;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_CONTROLLEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_FLAGS;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_IOV;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_IOVLEN;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAME;
import static io.crosstie.transport.linux.SocketAbi.MSGHDR_NAMELEN;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Receive buffers of a port, and the kernel's description of them. Each takes whatever one message
 * can be: a packet, or with receive offload up to 64 KiB of packets of one sender, merged. All
 * sockets of the port receive into them, one after the other.
 */
final class ReceiveRing {
  /** Most messages received in one call. */
  static final int MAX_MESSAGES = 16;

  /**
   * A little more than the longest message, so that buffers do not all fall on the same lines of
   * the cache.
   */
  private static final int STRIDE_BYTES = (64 << 10) + 576;

  private static final int BUFFER_BYTES = 64 << 10;
  private static final int CONTROL_BYTES = 64;
  private static final int FLAGS = SocketAbi.MSG_DONTWAIT;

  private final Libc libc;

  /** The kernel tells the local address of each message, among its control messages. */
  private final boolean destinations;

  private final int nameLength;
  private final MemorySegment memory;
  private final MemorySegment headers;
  private final MemorySegment names;
  private final MemorySegment controls;

  /** For {@link #isQueueEmpty}: the descriptor it asks for, and no time to wait. */
  private final MemorySegment pollfd;

  private final MemorySegment noWait;

  /**
   * Length of the message when a single one was received: recvmsg returns it instead of writing it.
   */
  private int singleLength;

  /** Most come to the same address as the one before. */
  private @Nullable PacketInfo lastDestination;

  /** Messages asked for in the last call. */
  private int asked;

  /**
   * Allocates.
   *
   * @param destinations whether the kernel tells to which of this host's addresses messages came
   */
  ReceiveRing(Arena arena, Libc libc, int family, boolean destinations) {
    this.libc = libc;
    this.destinations = destinations;
    nameLength = SockAddr.length(family);
    memory = arena.allocate((long) MAX_MESSAGES * STRIDE_BYTES, 4096);
    headers = arena.allocate((long) MAX_MESSAGES * MMSGHDR_BYTES, 64);
    names = arena.allocate((long) MAX_MESSAGES * SockAddr.SLOT_BYTES, 64);
    controls = arena.allocate((long) MAX_MESSAGES * CONTROL_BYTES, 64);
    pollfd = arena.allocate(SocketAbi.POLLFD_BYTES, 8);
    pollfd.set(JAVA_SHORT, SocketAbi.POLLFD_EVENTS, SocketAbi.POLLIN);
    noWait = arena.allocate(16, 8); // a timespec of zeros
    MemorySegment iovecs = arena.allocate((long) MAX_MESSAGES * IOVEC_BYTES, 64);
    for (int i = 0; i < MAX_MESSAGES; i++) {
      long header = (long) i * MMSGHDR_BYTES;
      long iovec = (long) i * IOVEC_BYTES;
      iovecs.set(JAVA_LONG, iovec, memory.address() + offset(i));
      iovecs.set(JAVA_LONG, iovec + 8, (long) BUFFER_BYTES);
      headers.set(JAVA_LONG, header + MSGHDR_NAME, names.address() + nameOffset(i));
      headers.set(JAVA_LONG, header + MSGHDR_IOV, iovecs.address() + iovec);
      headers.set(JAVA_LONG, header + MSGHDR_IOVLEN, 1L);
      headers.set(
          JAVA_LONG, header + MSGHDR_CONTROL, controls.address() + (long) i * CONTROL_BYTES);
    }
  }

  /**
   * Receives up to that many messages in one call.
   *
   * @return number of messages, or -1 if there is none or there was an error
   */
  int tryReceive(int fd, int messages) {
    prepare(messages);
    if (messages == 1) {
      long result = libc.tryRecvmsg(fd, headers, FLAGS);
      singleLength = (int) result;
      return result < 0 ? -1 : 1;
    }
    return libc.tryRecvmmsg(fd, headers, messages, FLAGS);
  }

  /**
   * Receives one packet, without asking who sent it or whether it was merged: the call that asks
   * the least of the kernel.
   *
   * @param sender who alone can have sent it, to be found where the kernel would have written it
   * @return its length, or -1 if there is none or there was an error
   */
  long tryReceivePlainly(int fd, SockAddr sender) {
    long length = libc.tryRecv(fd, memory.address(), BUFFER_BYTES, FLAGS);
    if (length >= 0) {
      sender.write(names, 0);
    }
    return length;
  }

  /**
   * Whether it is certain that a socket has nothing to receive. A call that receives nothing does
   * not say so: it may tell of an error while messages wait.
   */
  boolean isQueueEmpty(int fd) {
    pollfd.set(JAVA_INT, 0, fd);
    int ready = libc.tryPpoll(pollfd, 1, noWait);
    return ready == 0
        || (ready > 0
            && (pollfd.get(JAVA_SHORT, SocketAbi.POLLFD_REVENTS)
                    & (SocketAbi.POLLIN | SocketAbi.POLLNVAL))
                == 0);
  }

  /**
   * Why a call received nothing: errno, or 0 if there was nothing. Asks the socket, because a call
   * that hands out its own errno allocates until it has been compiled well, and this one is made
   * too seldom for that to be soon.
   */
  int whyNothing(int fd) {
    int errno = libc.tryTakeError(fd);
    return errno >= 0
        ? errno
        : Math.max(0, -libc.getOption(fd, SocketAbi.SOL_SOCKET, SocketAbi.SO_ERROR));
  }

  private void prepare(int messages) {
    for (int i = 0; i < messages; i++) {
      long header = (long) i * MMSGHDR_BYTES;
      headers.set(JAVA_INT, header + MSGHDR_NAMELEN, nameLength);
      headers.set(JAVA_LONG, header + MSGHDR_CONTROLLEN, (long) CONTROL_BYTES);
    }
    asked = messages;
  }

  MemorySegment memory() {
    return memory;
  }

  /** Where a message lies in {@link #memory()}. */
  long offset(int message) {
    return (long) message * STRIDE_BYTES;
  }

  /** Length of a message, in bytes. */
  int length(int message) {
    return asked == 1
        ? singleLength
        : headers.get(JAVA_INT, (long) message * MMSGHDR_BYTES + MMSGHDR_LEN);
  }

  /** Whether a message is whole and has a sender. */
  boolean isUsable(int message) {
    long header = (long) message * MMSGHDR_BYTES;
    return (headers.get(JAVA_INT, header + MSGHDR_FLAGS) & SocketAbi.MSG_TRUNC) == 0
        && headers.get(JAVA_INT, header + MSGHDR_NAMELEN) == nameLength;
  }

  /**
   * Length of the packets in a message that receive offload merged, in bytes; 0 if it is a single
   * packet.
   */
  int segment(int message) {
    if (destinations) {
      long gro =
          PacketInfo.find(
              controls,
              (long) message * CONTROL_BYTES,
              controlLength(message),
              SocketAbi.SOL_UDP,
              SocketAbi.UDP_GRO);
      return gro < 0 ? 0 : Math.max(0, controls.get(JAVA_INT, gro + CMSGHDR_BYTES));
    }
    if (headers.get(JAVA_LONG, (long) message * MMSGHDR_BYTES + MSGHDR_CONTROLLEN)
        < CMSGHDR_BYTES + 4) {
      return 0;
    }
    long control = (long) message * CONTROL_BYTES;
    return controls.get(JAVA_INT, control + CMSGHDR_LEVEL) == SocketAbi.SOL_UDP
            && controls.get(JAVA_INT, control + CMSGHDR_TYPE) == SocketAbi.UDP_GRO
        ? Math.max(0, controls.get(JAVA_INT, control + CMSGHDR_BYTES))
        : 0;
  }

  private long controlLength(int message) {
    long length = headers.get(JAVA_LONG, (long) message * MMSGHDR_BYTES + MSGHDR_CONTROLLEN);
    return Math.min(CONTROL_BYTES, length);
  }

  /** To which of this host's addresses a message came; null if the kernel does not tell. */
  @Nullable PacketInfo destination(int message) {
    if (!destinations) {
      return null;
    }
    long from = (long) message * CONTROL_BYTES;
    PacketInfo last = lastDestination;
    if (last == null || !last.isIn(controls, from, controlLength(message))) {
      last = PacketInfo.read(controls, from, controlLength(message));
      lastDestination = last;
    }
    return last;
  }

  /** Where the senders' addresses lie. */
  MemorySegment names() {
    return names;
  }

  /** Where the sender's address of a message lies in {@link #names()}. */
  static long nameOffset(int message) {
    return (long) message * SockAddr.SLOT_BYTES;
  }
}
