// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RegionCompletion;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Puts the same bytes again and again into the slots of a region, each with a notification. */
final class PutSender {
  private static final int MOST_SLOTS = 64;
  private static final int LEAST_SLOTS = 4;
  private static final int BYTES = 4 << 20;

  private final RemoteRegion region;
  private final MemorySegment source;
  private final int slots;
  private final byte[] notification = {1};
  private final RegionCompletion completed = this::onComplete;
  private long sent;
  private int lent;
  private @Nullable String failure;

  PutSender(RemoteRegion region, int size) {
    this.region = region;
    slots = slots(size);
    source = Arena.ofAuto().allocate(size, 64);
  }

  private static int slots(int size) {
    return Math.clamp(BYTES / size, LEAST_SLOTS, MOST_SLOTS);
  }

  /** Bytes of a region for puts of that size. */
  static long regionBytes(int size) {
    return (long) slots(size) * size;
  }

  private void onComplete(Peer peer, RegionStatus status, @Nullable String error) {
    lent--;
    if (status != RegionStatus.DONE) {
      failure = status + ": " + error;
    }
  }

  /** Puts once, if there is room. */
  boolean trySend() {
    if (failure != null) {
      throw new PerfException("a put failed: " + failure);
    }
    if (lent == slots) {
      return false;
    }
    long size = source.byteSize();
    long target = sent % slots * size;
    long result = region.put(source, 0, size, target, notification, completed);
    if (result > 0) {
      sent++;
      lent++;
      return true;
    }
    if (result != Channel.BACK_PRESSURED && result != Channel.CONNECTING) {
      throw new PerfException("the connection ended, status " + result);
    }
    return false;
  }

  /** How many so far. */
  long sent() {
    return sent;
  }
}
