// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

/** Counters of a node's protocol, all its connections together: {@link Node#counters()}. */
public enum EndpointCounter {
  /** Packets received from all ports. */
  PACKETS_IN,
  /** Packets that failed validation: too short, wrong version, wrong CRC, malformed. */
  INVALID_PACKETS,
  /** Packets with a kind of message that this node did not say it takes. */
  NOT_TAKEN,
  /** Packets with an unknown connection id. */
  UNKNOWN_CONNECTION,
  /** Resets sent, rate limited. */
  RESETS_OUT,
  /** Handshakes begun by others. */
  HANDSHAKES_IN,
  /** Handshake packets with a wrong cookie. */
  BAD_COOKIES,
  /** Handshakes rejected. */
  REJECTED,
  /**
   * Addresses that peers advertise and no port of their kind takes, say because they name a host:
   * what peers tell is never looked up.
   */
  ADDRESSES_DECLINED,
  /** Connections that exist (gauge). */
  CONNECTIONS,
  /** Bytes of the pool for large messages that are in use (gauge). */
  POOL_BYTES,
  /** Bytes charged for messages besides that pool, and for the windows of channels (gauge). */
  MEMORY_BYTES,
  /** Times that something was refused, or a window not widened, for want of memory. */
  MEMORY_REFUSALS,
  /** Large messages of connections that are over which were not polled, and dropped in the end. */
  MESSAGES_DROPPED,
  /** Own pauses noticed. */
  SELF_PAUSES,
  /** Nanoseconds of own pauses. */
  SELF_PAUSED_NS,
  /** Ports opened again. */
  PORT_RESTARTS,
  /** Duty cycles. */
  CYCLES,
  /**
   * Something threw that should not have: a packet was dropped, and the connection that it was
   * about, if any, has ended; or a port was opened anew. Never the node.
   */
  INTERNAL_ERRORS
}
