// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

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
   * Runs what opens it again, which calls {@link #open} once: beside the engine, which would wait
   * for a name server or a file system else (R37); at once where nothing can take long.
   */
  default void run(Runnable opening) {
    opening.run();
  }

  /** Opens it. */
  RailPort open(PortHandler handler) throws RailException;
}
