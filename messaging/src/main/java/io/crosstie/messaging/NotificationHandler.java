// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import java.lang.foreign.MemorySegment;

/** Is told what peers have put into regions of this node; inside a poll, on that thread. */
public interface NotificationHandler {
  /**
   * All bytes of a put are in their place.
   *
   * @param region that they are in, perhaps closed since
   * @param peer that put them
   * @param bytes read-only memory of the notification; valid until return
   * @param offset of its first byte
   * @param length 1 to {@value RemoteRegion#MAX_NOTIFICATION}
   * @param targetOffset where in the region they begin
   * @param targetLength how many they are, 0 or more
   */
  void onNotification(
      Region region,
      Peer peer,
      MemorySegment bytes,
      long offset,
      int length,
      long targetOffset,
      long targetLength);
}
