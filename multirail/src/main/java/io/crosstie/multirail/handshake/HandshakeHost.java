// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.handshake;

import io.crosstie.multirail.connection.Connection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What handshakes ask of the endpoint that they make connections for; on the engine's thread. */
public interface HandshakeHost {
  /** A snapshot of all connections, in the order in which they came into being. */
  List<Connection> connections();

  /** The one with that id of its own; null if there is none. */
  @Nullable Connection connectionById(long id);

  /**
   * Makes one that is not up, with a fresh id.
   *
   * @param initiator whether this side begins it
   */
  Connection newConnection(String peerName, boolean initiator);

  /** Gives one that is not up another id. */
  void renumber(Connection connection);

  /** What was thrown while a connection was dealt with, which ends; if null nobody pays for it. */
  void onError(@Nullable Connection connection, Throwable error);
}
