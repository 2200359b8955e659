// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail;

import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;

/** Opens a port, again and again if it fails: rail restart from the state kept by the core. */
public interface PortOpener {
  /** For people: the configured rail. */
  String name();

  /** Scheduling weight of rails that leave from this port, 1 to 1000. */
  default int weight() {
    return 1;
  }

  /**
   * Whether a port may be opened by another thread than the one that will use it, though never by
   * two at a time.
   */
  default boolean mayOpenElsewhere() {
    return false;
  }

  /** Opens it. */
  RailPort open(PortHandler handler) throws RailException;
}
