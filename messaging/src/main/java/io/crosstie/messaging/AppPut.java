// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.messaging;

import io.crosstie.reliability.channel.Put;
import io.crosstie.reliability.wire.PlacedKind;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A put of the application's; used again and again. */
final class AppPut extends Put {
  private final PutPool pool;
  private @Nullable Peer peer;
  private @Nullable RegionCompletion completion;

  AppPut(PutPool pool) {
    super(new byte[RemoteRegion.MAX_NOTIFICATION]);
    this.pool = pool;
  }

  /** It is this one from now on, until it was told, or {@link #giveBack() given back}. */
  void set(
      Peer to,
      long key,
      long target,
      MemorySegment source,
      long offset,
      long length,
      byte[] notification,
      RegionCompletion told) {
    set(PlacedKind.PUT, key, target, source, offset, length);
    setNotification(notification);
    peer = to;
    completion = told;
  }

  /** It is not sent, or was told: keeps nothing of the application's, and may be another one. */
  void giveBack() {
    set(PlacedKind.PUT, 0, 0, MemorySegment.NULL, 0, 0);
    peer = null;
    completion = null;
    pool.give(this);
  }

  @Override
  public void onComplete(long sequence, @Nullable String error) {
    Peer to = peer;
    RegionCompletion told = completion;
    if (to == null || told == null) {
      throw new IllegalStateException("a put was told twice");
    }
    RegionStatus status = RegionStatus.of(reason(), error != null);
    giveBack(); // it may be the next one that is put while this one is told
    told.onComplete(to, status, error);
  }
}
