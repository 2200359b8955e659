// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Poller;
import io.crosstie.transport.RailException;
import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/**
 * A bound UDP socket that Netty channels are put around. It is ours, not Netty's: a channel belongs
 * to one thread for ever, the socket to whichever thread runs the engine.
 */
interface NettySocket {

  /** For {@link io.crosstie.transport.RailAttributes#kind()}. */
  String kind();

  /** The I/O that goes with {@link #wrap()}. */
  IoHandlerFactory ioHandlerFactory();

  /** A new channel around this socket, neither registered nor to be closed. */
  Channel wrap();

  /** The bound address with its real port. */
  InetSocketAddress bound();

  /**
   * Whether Netty tells of each packet to which of this host's addresses it came, where the socket
   * is bound to all of them.
   */
  boolean reportsDestinations();

  /**
   * A socket with the same port, bound to one address, where this one is bound to all: the system
   * hands it what comes to that address.
   *
   * @throws RailException if the system does not let us
   */
  NettySocket beside(InetAddress local) throws RailException;

  /** Granted, in bytes. */
  int receiveBufferBytes();

  /** Granted, in bytes. */
  int sendBufferBytes();

  /** Whether segmented packets may be sent. */
  boolean segmentation();

  /** Whether merged packets are received. */
  boolean merging();

  /** 0 while the socket is still ours, else an errno. */
  int whyLost();

  /** Waits for reading. Returns false if that poller cannot. */
  boolean watch(Poller poller);

  /** Ends {@link #watch}. */
  void unwatch(Poller poller);

  /** Waits for writing too, until {@link #unwatchWritable}. */
  void watchWritable(Poller poller);

  /** Ends {@link #watchWritable}; harmless if that was not called. */
  void unwatchWritable(Poller poller);

  /** Closes the socket, if it is still ours. */
  void close();
}
