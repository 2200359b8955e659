// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sends a port's {@link TransmitBatch} and judges what the kernel says. An error never stops the
 * packets behind it:
 *
 * <ul>
 *   <li>no room now (EAGAIN): the rest of the batch is kept, and no more is taken until it has
 *       left;
 *   <li>an answer of the network to an earlier packet: it is read from the {@link ErrorQueue}, and
 *       the call made again;
 *   <li>a group that segmentation offload cannot send: its packets are sent one by one, and when
 *       that works offload is given up;
 *   <li>the descriptor is not our socket any more: the port is told, everything is dropped;
 *   <li>anything else: that group is dropped, and its rail's event told.
 * </ul>
 */
final class Transmitter {
  private static final int FLAGS = SocketAbi.MSG_DONTWAIT | SocketAbi.MSG_NOSIGNAL;

  private final Libc libc;
  private final LinuxSocket socket;
  private final TransmitBatch batch;
  private final Counters<PortCounter> counters;
  private final Owner owner;
  private boolean blocked;

  /**
   * Set after an error was put down to an earlier packet, until the next success: once is enough.
   */
  private boolean repeated;

  /** What the port does about errors. */
  interface Owner {
    /** Reads the queue of errors. Returns how many there were. */
    int drainErrors();

    /** Something is to be told about a rail. */
    void onSendError(@Nullable Rail rail, int errno);

    /** The descriptor is not our socket any more. */
    void onSocketLost(int errno);

    /** Segmentation offload was given up. */
    void onSegmentationLost();
  }

  Transmitter(
      Libc libc,
      LinuxSocket socket,
      TransmitBatch batch,
      Counters<PortCounter> counters,
      Owner owner) {
    this.libc = libc;
    this.socket = socket;
    this.batch = batch;
    this.counters = counters;
    this.owner = owner;
  }

  /** Whether the kernel had no room for what is in the batch. */
  boolean isBlocked() {
    return blocked;
  }

  /** Sends what is in the batch, as far as the kernel takes it. */
  void flush() {
    blocked = false;
    if (batch.isEmpty()) {
      return;
    }
    if (batch.isPlain() && sendPlainly(batch.firstGroup())) {
      return;
    }
    batch.describeAll();
    while (!batch.isEmpty() && !blocked) {
      int group = batch.firstGroup();
      int groups = batch.groups();
      if (batch.packets(group) > 1 && !batch.segmentation()) {
        sendOneByOne(group, 0);
        continue;
      }
      int result = send(group, groups);
      counters.increment(PortCounter.SEND_CALLS);
      if (result > 0) {
        repeated = false;
        for (int i = 0; i < result; i++) {
          count(batch.packets(group + i), batch.bytes(group + i));
        }
        batch.dropGroups(result);
        if (result < groups) {
          // the call may have stopped at the announcement of an error, which is over by that
          int unused = owner.drainErrors();
        }
      } else {
        onError(group, -result);
      }
    }
  }

  /**
   * The call that asks the least of the kernel, for a packet that is alone. False if it could not
   * leave; the next try tells why.
   */
  private boolean sendPlainly(int group) {
    int bytes = batch.bytes(group);
    counters.increment(PortCounter.SEND_CALLS);
    if (libc.trySend(socket.fd(), batch.address(group), bytes, FLAGS) < 0) {
      int unused = owner.drainErrors();
      return false;
    }
    repeated = false;
    count(1, bytes);
    batch.dropGroups(1);
    return true;
  }

  private int send(int group, int groups) {
    MemorySegment headers = batch.headers(group);
    int result =
        groups == 1
            ? single(libc.trySendmsg(socket.fd(), headers, FLAGS))
            : libc.trySendmmsg(socket.fd(), headers, groups, FLAGS);
    if (result > 0) {
      return result;
    }
    // why? If it was the announcement of an earlier packet's error, that is over now, and this one
    // leaves
    int unused = owner.drainErrors();
    return groups == 1
        ? single(libc.sendmsg(socket.fd(), headers, FLAGS))
        : libc.sendmmsg(socket.fd(), headers, groups, FLAGS);
  }

  private static int single(long result) {
    return result < 0 ? (int) result : 1;
  }

  private void count(int packets, int bytes) {
    counters.add(PortCounter.PACKETS_OUT, packets);
    counters.add(PortCounter.BYTES_OUT, bytes);
  }

  private void onError(int group, int errno) {
    if (isTransient(errno)) {
      return;
    }
    if (batch.packets(group) > 1 && isOffloadError(errno)) {
      sendOneByOne(group, errno);
    } else {
      drop(group, errno);
    }
  }

  /** Whether the call is to be made again, now or later. */
  private boolean isTransient(int errno) {
    if (errno == Errno.EAGAIN) {
      blocked = true;
      return true;
    }
    if (errno == Errno.EINTR) {
      return true;
    }
    if (!repeated && owner.drainErrors() > 0) {
      repeated = true; // it was about a packet that had left before
      return true;
    }
    return false;
  }

  private static boolean isOffloadError(int errno) {
    // the last two: a segment larger than the interface's MTU, which is no fault of the offload;
    // seen by sending one
    return errno == Errno.EIO
        || errno == Errno.EOPNOTSUPP
        || errno == Errno.ENOPROTOOPT
        || errno == Errno.EINVAL
        || errno == Errno.EMSGSIZE;
  }

  private void sendOneByOne(int group, int offloadErrno) {
    boolean sent = false;
    while (batch.packets(group) > 0 && !blocked) {
      batch.describeFirstPacket(group);
      long result = libc.sendmsg(socket.fd(), batch.headers(group), FLAGS);
      counters.increment(PortCounter.SEND_CALLS);
      if (result >= 0) {
        sent = true;
        repeated = false;
        count(1, batch.firstPacketBytes(group));
        batch.dropFirstPacket(group);
      } else if (!isTransient((int) -result)) {
        drop(group, (int) -result);
        break;
      }
    }
    if (sent && offloadErrno != 0 && batch.segmentation()) {
      batch.setSegmentation(false);
      owner.onSegmentationLost();
    }
    if (!batch.isEmpty() && batch.firstGroup() == group && batch.packets(group) == 0) {
      batch.dropGroups(1);
    }
  }

  private void drop(int group, int errno) {
    repeated = false;
    if (isLoss(errno)) {
      dropAll();
      owner.onSocketLost(errno);
      return;
    }
    Rail rail = batch.rail(group);
    counters.add(PortCounter.DROPPED_OUT, batch.packets(group));
    batch.dropGroups(1);
    owner.onSendError(rail, errno);
  }

  private boolean isLoss(int errno) {
    return UdpErrors.event(errno) == LinkEvent.CLOSED
        || (UdpErrors.event(errno) == LinkEvent.OTHER && socket.whyLost() != 0);
  }

  /** Drops everything: the socket is gone. */
  void dropAll() {
    int first = batch.firstGroup();
    for (int i = first; i < first + batch.groups(); i++) {
      counters.add(PortCounter.DROPPED_OUT, batch.packets(i));
    }
    batch.clear();
    blocked = false;
  }
}
