// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * Takes connections and reads their offers. What has not been validated yet is bounded: {@value
 * #MAX_PENDING} connections, each with one buffer, each for a short time; a newcomer takes the
 * place of the oldest.
 *
 * <p>The engine's thread only.
 */
final class Acceptor {
  /** Most connections whose offer has not come yet. */
  static final int MAX_PENDING = 16;

  /** How long an offer may take. */
  static final long OFFER_TIMEOUT_NS = 2_000_000_000L;

  private static final int MAX_ACCEPTS = 16;

  private static final class Pending {
    final byte[] bytes = new byte[Offer.MAX_BYTES];
    @Nullable LocalSocket socket;
    int length;
    long sinceNs;
  }

  private final ShmPort port;
  private final LocalSockets sockets;
  private final Pending[] pending = new Pending[MAX_PENDING];
  private int waiting;

  Acceptor(ShmPort port, LocalSockets sockets) {
    this.port = port;
    this.sockets = sockets;
    for (int i = 0; i < MAX_PENDING; i++) {
      pending[i] = new Pending();
    }
  }

  /** Whether offers are awaited. */
  boolean waiting() {
    return waiting > 0;
  }

  /**
   * Takes what waits, at most a batch.
   *
   * @throws ClosedChannelException if the listening socket is no longer one
   */
  void accept(long nowNs) throws ClosedChannelException {
    for (int i = 0; i < MAX_ACCEPTS; i++) {
      LocalSocket socket;
      try {
        socket = sockets.accept();
      } catch (ClosedChannelException e) {
        throw e;
      } catch (IOException e) {
        sockets.watchListener(false); // else it would wake us for ever; resumed by tick()
        return;
      }
      if (socket == null) {
        return;
      }
      Pending slot = slotFor();
      if (port.takesDescriptors()) {
        socket.expectDescriptor();
      }
      slot.socket = socket;
      slot.length = 0;
      slot.sinceNs = nowNs;
      waiting++;
      read(slot);
    }
    sockets.listenerReady(true); // there may be more
  }

  private Pending slotFor() {
    Pending oldest = pending[0];
    for (Pending slot : pending) {
      if (slot.socket == null) {
        return slot;
      }
      if (slot.sinceNs - oldest.sinceNs < 0) {
        oldest = slot;
      }
    }
    drop(oldest);
    return oldest;
  }

  /** Reads offers that have come, and gives up those that are late. */
  void progress(long nowNs) {
    if (waiting == 0) {
      return;
    }
    for (Pending slot : pending) {
      LocalSocket socket = slot.socket;
      if (socket != null) {
        if (socket.ready()) {
          read(slot);
        } else if (nowNs - slot.sinceNs > OFFER_TIMEOUT_NS) {
          drop(slot);
        }
      }
    }
  }

  /** Once a second. */
  void tick() {
    sockets.watchListener(true);
  }

  private void read(Pending slot) {
    LocalSocket socket = slot.socket;
    if (socket == null) {
      return;
    }
    int n = socket.read(slot.bytes, slot.length, slot.bytes.length - slot.length);
    socket.ready(false);
    if (n == LocalSocket.NOTHING) {
      return;
    }
    if (n <= 0) {
      drop(slot); // a sweeper that looked whether we live, or somebody who died
      return;
    }
    slot.length += n;
    try {
      Offer offer = Offer.decode(slot.bytes, slot.length);
      if (offer != null) {
        slot.socket = null;
        waiting--;
        port.adopt(offer, socket);
      }
    } catch (IOException e) {
      slot.socket = null;
      waiting--;
      port.refuse(socket, Reasons.of(e));
    }
  }

  private void drop(Pending slot) {
    LocalSocket socket = slot.socket;
    if (socket != null) {
      slot.socket = null;
      waiting--;
      socket.close();
    }
  }
}
