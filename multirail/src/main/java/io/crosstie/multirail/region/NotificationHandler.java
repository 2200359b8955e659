// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import java.lang.foreign.MemorySegment;

/** Is told what peers have placed; on the thread that polls. */
public interface NotificationHandler {
  /**
   * All of a message is in its place.
   *
   * @param offset in the region, of its first byte
   * @param length of what was placed, 0 or more
   * @param bytes read-only memory of the notification, valid until return
   * @param at where it begins in them
   * @param count 1 to 32
   */
  void onNotification(
      ExportedRegion region, long offset, long length, MemorySegment bytes, long at, int count);
}
