// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.connection;

/** What a connection asks of the endpoint that it belongs to; on the engine's thread. */
public interface ConnectionHost {
  /**
   * It is served in this duty cycle or the next, because messages came or wait; what these make due
   * is found without looking for anything else.
   */
  void enlist(Connection connection);

  /** The peer's addresses may have changed: pairs them with the local ports. */
  void pairRails(Connection connection, long nowNs);

  /** No rail is left that could bring news: tries the addresses that it was begun with. */
  void seekRails(Connection connection, long nowNs);

  /** It is over in good order, and its peer may be back: another connection may take its place. */
  void reconnect(Connection connection);

  /** It is over, and nothing is left to be said: takes it out of all lists. */
  void forget(Connection connection);

  /** Something threw that should not have, and whoever it was about has paid for it. */
  void onError(Throwable error);
}
