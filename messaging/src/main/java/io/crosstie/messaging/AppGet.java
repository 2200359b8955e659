// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.region.Request;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A get of the application's. */
final class AppGet extends Request {
  private final Peer peer;
  private final RegionCompletion completion;

  AppGet(
      Peer peer,
      long key,
      long sourceOffset,
      MemorySegment target,
      long offset,
      long length,
      RegionCompletion completion) {
    super(key, sourceOffset, target, offset, length);
    this.peer = peer;
    this.completion = completion;
  }

  @Override
  protected void onAnswer(int reason, long before, @Nullable String why) {
    completion.onComplete(peer, RegionStatus.of(reason, why != null), why);
  }
}
