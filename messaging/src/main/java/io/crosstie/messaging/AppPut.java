// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.Put;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A put of the application's, which is told of by its own completion. */
final class AppPut extends Put {
  private final Peer peer;
  private final RegionCompletion completion;

  AppPut(
      Peer peer,
      long key,
      long target,
      MemorySegment source,
      long offset,
      long length,
      byte[] notification,
      RegionCompletion completion) {
    super(key, target, source, offset, length, notification);
    this.peer = peer;
    this.completion = completion;
  }

  @Override
  public void onComplete(long sequence, @Nullable String error) {
    completion.onComplete(peer, RegionStatus.of(reason(), error != null), error);
  }
}
