// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailPort;
import java.lang.foreign.MemorySegment;

/** Ignores everything. */
final class NoHandler implements PortHandler {
  @Override
  public void onPacket(RailPort port, MemorySegment memory, long offset, int length, long source) {}

  @Override
  public void onLinkEvent(RailPort port, Rail rail, LinkEvent event, int errno) {}
}
