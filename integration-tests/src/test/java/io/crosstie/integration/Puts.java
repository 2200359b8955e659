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
 * {@link #SLOTS} with words of {@code n}, and tells {@code n} by its notification. When it is done,
 * its slot is got back and compared, before another put goes there.
 */
final class Puts implements WorkerTask {
  /** So many slots of equal size has a region. */
  static final int SLOTS = 8;

  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

  private final RemoteRegion region;
  private final int size;
  private final MemorySegment source;
  private final MemorySegment got;
  private final boolean[] lent = new boolean[SLOTS];
  private final Map<String, Integer> ended = new TreeMap<>();
  private final JsonArray errors = new JsonArray();
  private long next = 1;
  private long outstanding;
  private long gets;
  private long status;
  private boolean paused;

  Puts(RemoteRegion region, int size) {
    this.region = region;
    this.size = size;
    source = Arena.ofShared().allocate((long) SLOTS * size, 64);
    got = Arena.ofShared().allocate((long) SLOTS * size, 64);
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
      status = region.put(from, 0, size, (long) slot * size, notification, returned(slot, next));
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

  private RegionCompletion returned(int slot, long number) {
    return (peer, became, error) -> {
      outstanding--;
      ended(peer, became, error);
      long at = (long) slot * size;
      RegionCompletion whenGot = (from, how, why) -> compare(slot, number, from, how, why);
      if (became != RegionStatus.DONE || region.get(got, at, size, at, whenGot) <= 0) {
        lent[slot] = false;
      } else {
        outstanding++;
      }
    };
  }

  private void compare(
      int slot, long number, Peer peer, RegionStatus became, @Nullable String error) {
    outstanding--;
    ended(peer, became, error);
    long end = (long) (slot + 1) * size;
    if (became == RegionStatus.DONE) {
      gets++;
      for (long at = end - size; at < end; at += Long.BYTES) {
        if (got.get(WORD, at) != number) {
          errors.add(peer.name() + ": got " + got.get(WORD, at) + " where " + number + " was put");
          break;
        }
      }
    }
    lent[slot] = false;
  }

  private void ended(Peer peer, RegionStatus became, @Nullable String error) {
    int unused = ended.merge(became.name(), 1, Integer::sum);
    if (error != null && errors.size() < SLOTS) {
      errors.add(peer.name() + ": " + error);
    }
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("outstanding", outstanding);
    state.addProperty("gets", gets);
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
