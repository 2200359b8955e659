// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.transport.RailPort;

/**
 * A port that is open and that no endpoint uses yet: to open one may take its time, for which the
 * engine does not wait. It is either added ({@link PortTable#add}) or closed.
 */
public final class NewPort implements AutoCloseable {
  final PortSlot slot;
  final RailPort port;

  NewPort(PortSlot slot, RailPort port) {
    this.slot = slot;
    this.port = port;
  }

  /** It is not wanted after all. */
  @Override
  public void close() {
    port.close();
  }
}
