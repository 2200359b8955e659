// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.linux.Errno;
import io.crosstie.transport.linux.Libc;
import io.crosstie.transport.linux.SocketAbi;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;

/**
 * A socket of a port with what waits to leave by it and what arrives. The first queue is open to
 * everybody. Others are connected to the peer of one rail, which spares the kernel looking up the
 * route of each packet: a fifth of a round trip. All are bound to the port's one address, or to
 * that one of all addresses which the peer knows, so that no peer sees a difference; the kernel
 * hands each packet to the socket that fits best.
 */
final class SocketQueue implements Transmitter.Owner, Receiver.Owner {
  /** A queue that received nothing in so many polls is polled less often. */
  private static final int PATIENCE = 64;

  private static final int NO_DESCRIPTOR = -1;

  private final LinuxUdpPort port;
  private final Libc libc;
  private final LinuxSocket socket;
  private final ErrorQueue errorQueue;
  private final TransmitBatch batch;
  private final Transmitter transmitter;
  private final Receiver receiver;
  private final @Nullable LinuxUdpRail peer;
  private int writableFd = NO_DESCRIPTOR;
  private int emptyPolls;

  /** The wait was ended by errors, or nobody knows by what. */
  private boolean errorsWait;

  private boolean closed;

  /**
   * Makes the queue of a socket.
   *
   * @param peer the rail that the socket is connected for, or null
   */
  SocketQueue(
      LinuxUdpPort port,
      Libc libc,
      LinuxSocket socket,
      @Nullable LinuxUdpRail peer,
      ReceiveRing ring,
      PortHandler handler,
      Counters<PortCounter> counters,
      int maxGroupBytes,
      long seed) {
    this.port = port;
    this.libc = libc;
    this.socket = socket;
    this.peer = peer;
    Arena arena = Arena.ofAuto();
    errorQueue = new ErrorQueue(arena, libc, socket.fd(), seed);
    batch =
        new TransmitBatch(arena, socket.family(), maxGroupBytes, peer != null, socket.isWildcard());
    transmitter = new Transmitter(libc, socket, batch, counters, this);
    receiver = new Receiver(port, ring, socket.fd(), handler, this, counters, seed);
  }

  LinuxSocket socket() {
    return socket;
  }

  TransmitBatch batch() {
    return batch;
  }

  Transmitter transmitter() {
    return transmitter;
  }

  /** The rail that the socket is connected for; null if it is open to everybody. */
  @Override
  public @Nullable LinuxUdpRail peer() {
    return peer;
  }

  @Override
  public boolean setReceiveOffload(boolean on) {
    return port.setReceiveOffload(socket, on);
  }

  // ---- receiving

  /** Whether something arrived lately. */
  boolean isActive() {
    return emptyPolls < PATIENCE;
  }

  int receive(int limit) {
    int packets = receiver.receive(limit);
    emptyPolls = packets > 0 ? 0 : emptyPolls + 1;
    return packets;
  }

  /** The message being handed up, or -1 outside the handler. */
  int currentMessage() {
    return receiver.currentMessage();
  }

  @Override
  public boolean isClosed() {
    return closed || port.isReleased();
  }

  @Override
  public boolean isOpen() {
    return !closed && port.isOpen();
  }

  /**
   * A receive call failed for another reason than that there was nothing. Returns whether to try
   * again.
   */
  @Override
  public boolean onReceiveError(int errno) {
    if (errno == Errno.EINTR || drainErrors() > 0) {
      return true;
    }
    int lost = UdpErrors.event(errno) == LinkEvent.CLOSED ? errno : socket.whyLost();
    if (lost != 0) {
      port.onSocketLost(lost);
      return false;
    }
    port.onLinkError(this, peer, errno);
    return true;
  }

  // ---- errors

  @Override
  public int drainErrors() {
    return errorQueue.drain(port);
  }

  @Override
  public void onSendError(@Nullable Rail rail, int errno) {
    port.onLinkError(this, rail, errno);
  }

  @Override
  public void onSocketLost(int errno) {
    port.onSocketLost(errno);
  }

  @Override
  public void onSegmentationLost() {
    port.onSegmentationLost();
  }

  // ---- waiting

  void prepareToBlock(@Nullable Poller poller) {
    if (errorsWait) { // they keep the socket ready without end, unless somebody takes them
      errorsWait = false;
      int unused = drainErrors();
    }
    if (transmitter.isBlocked() && poller != null) {
      int fd = libc.epollFor(socket.fd(), SocketAbi.POLLOUT);
      if (fd >= 0) {
        writableFd = fd;
        poller.watch(fd);
      }
    }
  }

  void afterBlock(@Nullable Poller poller) {
    int found = poller == null ? Poller.READABLE | Poller.FAILED : poller.found(socket.fd());
    if (found != 0) {
      emptyPolls = 0;
    }
    if ((found & Poller.FAILED) != 0) {
      errorsWait = true;
      receiver.expectReason();
    }
    endWait(poller);
  }

  /** The part of {@link #afterBlock} that is no expectation. */
  void endWait(@Nullable Poller poller) {
    if (writableFd != NO_DESCRIPTOR) {
      if (poller != null) {
        poller.unwatch(writableFd);
      }
      int unused = libc.close(writableFd);
      writableFd = NO_DESCRIPTOR;
    }
  }

  void stopWaiting(@Nullable Poller poller) {
    afterBlock(poller);
    if (poller != null) {
      poller.unwatch(socket.fd());
    }
  }

  /** Drops what has not left, and closes the socket if it is still ours. */
  void close() {
    if (!closed) {
      closed = true;
      transmitter.dropAll();
      socket.close();
    }
  }
}
