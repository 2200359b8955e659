// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.Poller;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The Unix-domain sockets of a port: one that listens and one per segment. Two implementations:
 * descriptors where native calls can be made, java.nio channels elsewhere.
 *
 * <p>The engine's thread only; no method blocks.
 */
abstract class LocalSockets {
  /** Most bytes that one read or write moves. */
  static final int BUFFER_BYTES = 512;

  /** Connections that the kernel holds for us until the next poll. */
  static final int BACKLOG = 64;

  private boolean listenerReady;

  final boolean listenerReady() {
    return listenerReady;
  }

  final void listenerReady(boolean ready) {
    listenerReady = ready;
  }

  /** Binds and listens. Once. */
  abstract void listen(Path path) throws IOException;

  /** Whether the listening socket is still the one that was made. */
  abstract boolean listenerIntact();

  /**
   * Connects.
   *
   * @return null if the other side's backlog is full: to be tried again
   * @throws IOException if nobody listens there, or it may not be used
   */
  abstract @Nullable LocalSocket connect(Path path) throws IOException;

  /**
   * Takes the next connection.
   *
   * @return null if there is none
   * @throws java.nio.channels.ClosedChannelException if the listening socket is no longer one
   * @throws IOException if there is no room for another descriptor
   */
  abstract @Nullable LocalSocket accept() throws IOException;

  /**
   * Asks the system once which sockets have something, and marks them. Marks are lowered by the
   * reader.
   */
  abstract void select();

  /** After a wait: whether it may have been ended by one of the sockets. */
  boolean isAnyFound() {
    return true;
  }

  /**
   * Stops or resumes waiting for connections, for when there are no descriptors left to take them.
   */
  abstract void watchListener(boolean watched);

  /** Registers all sockets, now and to come. Returns false if the poller waits for another kind. */
  abstract boolean attach(Poller poller);

  /** Closes all of them. Idempotent. */
  abstract void close();
}
