// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

/** What a link can say about itself. */
public enum LinkEvent {
  /**
   * No route or interface down (ENETUNREACH, EHOSTUNREACH, ENETDOWN): a hint that the path is
   * broken.
   */
  UNREACHABLE,
  /** The peer's host answered that nobody listens (ECONNREFUSED). */
  REFUSED,
  /** The kernel had no room for a packet (ENOBUFS, ENOMEM), which was dropped. */
  NO_BUFFERS,
  /** A packet was larger than the path carries (EMSGSIZE), and was dropped. */
  TOO_BIG,
  /** A packet was not permitted to leave (EPERM: a firewall), and was dropped. */
  NOT_PERMITTED,
  /**
   * The port or rail is of no use any more (socket closed or failed, doorbell at end of file,
   * segment gone). It stays readable for what it already holds, refuses claims, and has to be
   * closed; a new one can be opened in its place.
   */
  CLOSED,
  /**
   * The port's own thread ({@code thread=own}) gives no sign of life: it has to be closed, and a
   * new one can be opened in its place.
   */
  HUNG,
  /** Any other error; counted. */
  OTHER
}
