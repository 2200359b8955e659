// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The local end of rails: a bound UDP socket, or the place where peers on this host find our shared
 * memory. One port serves any number of peers.
 *
 * <p>Not thread safe: every call comes from the engine's thread, apart from {@link #counters()},
 * whose values any thread may read, and {@link #sever}. No call blocks.
 */
public interface RailPort extends AutoCloseable {

  /** What this port promises; may change when an offload proves itself or fails. */
  RailAttributes attributes();

  /** What peers are told to send to ({@code advertise=} where given). */
  RailAddress localAddress();

  /**
   * Why this port cannot reach the address (another scheme, another address family, another host or
   * namespace), as a sentence for a person, or {@code null} if it may try. What names a host is
   * never looked up here: peers advertise numbers.
   */
  @Nullable String whyUnreachable(RailAddress remote);

  /**
   * A rail to that address. Nothing is sent yet, and the peer need not be there. Shared memory
   * makes and offers a segment.
   *
   * @throws RailException if the address cannot be used; the message says why
   */
  Rail connect(RailAddress remote) throws RailException;

  /**
   * The same from one of this host's addresses, where the port has several.
   *
   * @param local a {@link #destinationAddress()} of this port
   * @throws RailException if the address cannot be used; the message says why
   */
  default Rail connect(RailAddress remote, RailAddress local) throws RailException {
    return connect(remote);
  }

  /**
   * A rail back to the sender of the packet being handled; only inside {@link
   * PortHandler#onPacket}. Called twice for one sender it returns rails with the same {@link
   * Rail#remoteKey()}.
   *
   * @throws RailException if the port's bound on rails is reached
   */
  Rail accept() throws RailException;

  /**
   * Address of the sender of the packet being handled; only inside {@link PortHandler#onPacket}.
   */
  RailAddress sourceAddress();

  /**
   * To which of this host's addresses the packet being handled came, so that an answer has to leave
   * from there; only inside {@link PortHandler#onPacket}.
   *
   * @return null where the port has one address only, or does not know
   */
  default @Nullable RailAddress destinationAddress() {
    return null;
  }

  /**
   * Sends one small packet back to the sender of the packet being handled without keeping any
   * state; only inside {@link PortHandler#onPacket}. May be dropped.
   *
   * @param length in bytes, at most 1200
   */
  void reply(MemorySegment packet, long offset, int length);

  /**
   * Receives packets and hands them to the port's {@link PortHandler}; never blocks. Also does the
   * port's housekeeping (accepting segments, noticing dead peers).
   *
   * @param nowNs the engine's clock, the same sample for the whole duty cycle
   * @param limit how many packets at most (a batch that came in one system call may exceed it)
   * @return number of packets handed up; 0 means that there was nothing left
   */
  int poll(long nowNs, int limit);

  /**
   * Registers everything this port can wait for with the engine's poller. Called once, after
   * opening.
   *
   * @return false if the port cannot be waited for with this poller, so that the engine must look
   *     at it at least every millisecond
   */
  boolean attach(Poller poller);

  /**
   * Announces that the engine is about to block in its poller: raises sleeping flags (store, full
   * fence, look again).
   *
   * @return false if there is something to do already, so that the engine must not block
   */
  boolean prepareToBlock();

  /** The engine is awake again: lowers sleeping flags. */
  void afterBlock();

  /**
   * In place of {@link #afterBlock()} when the wait was ended by its time, and this port had given
   * the poller everything that it can wait for: nothing was ready a moment ago. So the next poll
   * may leave out the looks that cost a system call; whatever comes after the wait is found by the
   * poll after that, or ends the next wait at once.
   */
  default void afterTimeout() {
    afterBlock();
  }

  /** Counters of this port, readable from any thread. */
  Counters<PortCounter> counters();

  /**
   * Takes the port off its link at once, so that another can be opened at its address: from any
   * thread, though the one that uses the port hangs in the middle of a call. What that thread then
   * still does with it fails, or is lost; it has to close the port all the same. Only where {@link
   * RailDriver#severable()} holds.
   */
  default void sever() {
    throw new UnsupportedOperationException();
  }

  /**
   * Lets some ten nanoseconds go by between two looks at memory that somebody is about to write:
   * each look takes the cache line away from him. Ports whose looks are system calls need no pause.
   */
  default void pause() {}

  /** Closes the port, all of its rails, its files and descriptors. Idempotent. */
  @Override
  void close();
}
