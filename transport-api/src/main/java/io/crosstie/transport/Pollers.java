// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport;

import io.crosstie.transport.linux.FdPoller;
import io.crosstie.transport.linux.Libc;

/** Picks the {@link Poller} for this process. */
public final class Pollers {
  private Pollers() {}

  /**
   * A poller for file descriptors where native access works, else one for java.nio channels. The
   * caller closes it.
   *
   * @throws RailException if the process has no descriptor left
   */
  public static Poller create() throws RailException {
    return Libc.whyUnavailable() == null ? new FdPoller() : new NioPoller();
  }
}
