// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.RegionCompletion;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Puts without end into a peer's region, some at a time: put {@code n} fills slot {@code n} modulo
 * {@link #SLOTS} with words of {@code n}, and tells {@code n} by its notification.
 */
final class Puts implements WorkerTask {
  /** So many slots of equal size has a region. */
  static final int SLOTS = 8;

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private final RemoteRegion region;
  private final int size;
  private final MemorySegment source;
  private final boolean[] lent = new boolean[SLOTS];
  private final Map<String, Integer> ended = new TreeMap<>();
  private final JsonArray errors = new JsonArray();
  private long next = 1;
  private long outstanding;
  private long status;
  private boolean paused;

  Puts(RemoteRegion region, int size) {
    this.region = region;
    this.size = size;
    source = Arena.ofShared().allocate((long) SLOTS * size, 64);
  }

  @Override
  public int run() {
    int work = 0;
    for (int slot = (int) (next % SLOTS);
        !paused && !lent[slot] && !Source.isFinal(status);
        slot = (int) (next % SLOTS)) {
      MemorySegment from = source.asSlice((long) slot * size, size);
      for (long at = 0; at < size; at += Long.BYTES) {
        from.set(WORD, at, next);
      }
      byte[] notification = new byte[Long.BYTES];
      MemorySegment.ofArray(notification).set(WORD, 0, next);
      status = region.put(from, 0, size, (long) slot * size, notification, returned(slot));
      if (status <= 0) {
        break;
      }
      lent[slot] = true;
      outstanding++;
      next++;
      work++;
    }
    return work;
  }

  private RegionCompletion returned(int slot) {
    return (peer, became, error) -> onComplete(slot, peer, became, error);
  }

  private void onComplete(int slot, Peer peer, RegionStatus became, @Nullable String error) {
    lent[slot] = false;
    outstanding--;
    int unused = ended.merge(became.name(), 1, Integer::sum);
    if (error != null && errors.size() < SLOTS) {
      errors.add(peer.name() + ": " + error);
    }
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("outstanding", outstanding);
    for (RegionStatus became : RegionStatus.values()) {
      state.addProperty(became.name(), ended.getOrDefault(became.name(), 0));
    }
    state.addProperty("status", status >= 0 ? "OK" : "" + status);
    state.add("errors", errors);
    return state;
  }

  @Override
  public void pause(boolean pause) {
    paused = pause;
  }
}
