// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.checksum.MemoryFaults;
import io.crosstie.reliability.channel.PlacementTarget;
import io.crosstie.reliability.wire.MessageRefusedFrame;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What one peer may do with the regions of this node, and what it has told of them ({@link
 * Notifications}). The engine's thread.
 */
public final class PeerRegions implements PlacementTarget {
  private final RegionTable regions;
  private final Supplier<String> peer;
  private final Notifications notifications;
  private @Nullable ExportedRegion judged;

  /**
   * For one connection.
   *
   * @param peer its name
   */
  public PeerRegions(RegionTable regions, Supplier<String> peer, Notifications notifications) {
    this.regions = regions;
    this.peer = peer;
    this.notifications = notifications;
  }

  @Override
  public int judge(long key, long offset, long length) {
    ExportedRegion region = regions.get(key);
    judged = region;
    if (region == null) {
      return MessageRefusedFrame.NO_REGION;
    }
    if (!region.mayUse(peer.get(), ExportedRegion.PUT)) {
      return MessageRefusedFrame.NO_RIGHT;
    }
    return region.holds(offset, length) ? 0 : MessageRefusedFrame.OUT_OF_REGION;
  }

  private ExportedRegion judged() {
    ExportedRegion region = judged;
    if (region == null) {
      throw new IllegalStateException("nothing was judged");
    }
    return region;
  }

  @Override
  public boolean write(MemorySegment from, long fromOffset, long offset, long length) {
    ExportedRegion region = judged();
    try {
      MemorySegment.copy(from, fromOffset, region.memory(), offset, length);
      if (region.memory().isMapped()) {
        MemoryFaults.raise(); // what has become shorter is the region, and no rail
      }
      return true;
    } catch (IllegalStateException | WrongThreadException | InternalError e) {
      regions.close(region.key()); // its arena was closed, or its file has become shorter
      return false;
    }
  }

  @Override
  public boolean reserve() {
    return notifications.reserve();
  }

  @Override
  public void release() {
    notifications.release();
  }

  @Override
  public void tell(long offset, long length, MemorySegment bytes, long at, int count) {
    notifications.add(judged(), offset, length, bytes, at, count);
  }
}
