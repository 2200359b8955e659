// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.multirail.Endpoint;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;

/**
 * A port that is open and that no endpoint uses yet: to open one may take its time, for which the
 * engine does not wait. It is either added ({@link Endpoint#addPort(NewPort, long)}) or closed.
 */
public final class NewPort implements AutoCloseable {
  public final PortSlot slot;
  public final RailPort port;

  private NewPort(PortSlot slot, RailPort port) {
    this.slot = slot;
    this.port = port;
  }

  /** Opens one for this endpoint. Any thread. */
  public static NewPort open(Endpoint endpoint, PortOpener opener) throws RailException {
    PortSlot slot = new PortSlot(endpoint, opener);
    return new NewPort(slot, opener.open(slot));
  }

  /** It is not wanted after all. */
  @Override
  public void close() {
    port.close();
  }
}
