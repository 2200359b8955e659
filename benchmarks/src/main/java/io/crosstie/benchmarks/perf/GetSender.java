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

/** Gets places of a region in turn, several at a time, each into memory of its own. */
final class GetSender {
  private final RemoteRegion region;
  private final MemorySegment target;
  private final int size;
  private final RegionCompletion completed = this::onComplete;
  private long asked;
  private long underWay;
  private long done;
  private @Nullable String failure;

  /**
   * @param region of {@link PutSender#regionBytes} of that size
   */
  GetSender(RemoteRegion region, int size) {
    this.region = region;
    this.size = size;
    target = Arena.ofAuto().allocate(PutSender.regionBytes(size), 64);
  }

  private void onComplete(Peer peer, RegionStatus status, @Nullable String error) {
    underWay--;
    done++;
    if (status != RegionStatus.DONE) {
      failure = status + ": " + error;
    }
  }

  /** Asks for one more, if there is room. */
  boolean tryGet() {
    if (failure != null) {
      throw new PerfException("a get failed: " + failure);
    }
    if ((underWay + 1) * size > target.byteSize()) {
      return false;
    }
    long at = asked * size % target.byteSize();
    long result = region.get(target, at, size, at, completed);
    if (result > 0) {
      asked++;
      underWay++;
      return true;
    }
    if (result != Channel.BACK_PRESSURED && result != Channel.CONNECTING) {
      throw new PerfException("the connection ended, status " + result);
    }
    return false;
  }

  /** How many were told since the last {@link #restart}. */
  long done() {
    return done;
  }

  /** Counts from here. */
  void restart() {
    done = 0;
  }

  /** Whether none is under way. */
  boolean isIdle() {
    return underWay == 0;
  }
}
