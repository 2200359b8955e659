// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.port;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;

/** Takes what ports receive, and hears what becomes of them; on the engine's thread. */
public interface PortListener {
  /**
   * One packet arrived; see {@link io.crosstie.transport.PortHandler#onPacket}.
   *
   * @param index of the port in its {@link PortTable}
   */
  void onPacket(
      int index, RailPort port, MemorySegment memory, long offset, int length, long source);

  /** A link said something about one rail of a port. */
  void onLinkEvent(int index, Rail rail, LinkEvent event);

  /** A port is of no use any more and about to be closed, and with it every rail of it. */
  void onPortLost(int index, String why);

  /** A port is taken out for good, and about to be closed. */
  void onPortRemoved(int index);

  /** There is a port more or less, or one was opened again, perhaps at another address. */
  void onAddressesChanged();

  /** Whether something is to be done, so that nothing should be waited for. */
  boolean hasWork();
}
