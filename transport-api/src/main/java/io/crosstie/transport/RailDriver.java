// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes rails of one kind. Found by {@link java.util.ServiceLoader}; the core never names an
 * implementation.
 *
 * <p>Several drivers may serve one scheme (UDP has a Linux and a Netty one). A rail URI picks one
 * by {@code driver=name}; with {@code driver=auto}, the default, the available driver of the
 * highest {@link #priority()} is taken.
 */
public interface RailDriver {

  /** The URI scheme served, for example {@code "udp"} or {@code "shm"}. */
  String scheme();

  /** The name for the {@code driver=} option, for example {@code "linux"}. */
  String name();

  /** Among the available drivers of a scheme the one with the highest priority is the default. */
  int priority();

  /**
   * Why this driver cannot work in this process (wrong operating system, native access denied), as
   * a sentence for a person that names the remedy, or {@code null} if it can.
   */
  @Nullable String whyUnavailable();

  /**
   * Whether its ports may be used by another thread than the one that opened them, one at a time,
   * and can be taken from one that hangs ({@link RailPort#sever}): what {@code thread=own} needs.
   */
  default boolean severable() {
    return false;
  }

  /**
   * Whether an address names a host instead of giving its number, so that it has to be looked up
   * before a port can connect to it. Never blocks.
   */
  default boolean namesHost(RailAddress address) {
    return false;
  }

  /**
   * Whether packets can be sent to an address, as far as its text tells. Never blocks, and looks no
   * name up.
   *
   * @throws IllegalArgumentException saying what is wrong with it and what to write instead
   */
  default void checkDestination(RailAddress address) {}

  /**
   * All addresses that a name leads to, the best first. May ask a name server and so take for ever:
   * never to be called on an engine's thread, and only for addresses that the application gave.
   *
   * @throws RailException if the name is unknown; the message says what to do next
   */
  default List<RailAddress> lookUp(RailAddress address) throws RailException {
    return List.of(address);
  }

  /**
   * Opens a local port: binds the socket, or makes the shared-memory directory entry. May take its
   * time, look up the names in the URI, and is called by any thread but that of a running engine;
   * the port is used by one thread afterwards.
   *
   * @param uri the rail as configured; the driver validates its options and rejects unknown ones
   * @param context identity and limits of the node
   * @param handler receives packets and link events, only inside {@link RailPort#poll}, {@link
   *     Rail#flush} and {@link Rail#claim}
   * @throws RailException if it cannot be opened; the message says what, where, the errno if any,
   *     the option concerned and what to do next
   */
  RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException;
}
