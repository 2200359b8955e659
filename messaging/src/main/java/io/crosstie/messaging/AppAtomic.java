// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.multirail.region.Request;
import org.jspecify.annotations.Nullable;

/** An operation of the application's on a word. */
final class AppAtomic extends Request {
  private final Peer peer;
  private final AtomicCompletion completion;

  AppAtomic(
      Peer peer,
      int kind,
      long key,
      long offset,
      long first,
      long second,
      AtomicCompletion completion) {
    super(kind, key, offset, first, second);
    this.peer = peer;
    this.completion = completion;
  }

  @Override
  protected void onAnswer(int reason, long before, @Nullable String why) {
    completion.onComplete(peer, RegionStatus.of(reason, why != null), before, why);
  }
}
