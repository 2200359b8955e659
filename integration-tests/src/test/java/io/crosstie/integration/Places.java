// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NotificationHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Region;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Set;

/** A region that {@link Puts} of peers go to, with memory around it that nobody may write to. */
final class Places implements WorkerTask, NotificationHandler {
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final int FENCE = 4096;
  private static final int MOST = 256;

  private final Node node;
  private final MemorySegment around;
  private final MemorySegment memory;
  private final Region region;
  private final JsonArray faults = new JsonArray();
  private MemorySegment atClose = MemorySegment.NULL;
  private long told;

  /** Of one task at a time, which tells completions of puts as well. */
  Places(Node node, int size) {
    this.node = node;
    long bytes = (long) Puts.SLOTS * size;
    around = Arena.ofShared().allocate(bytes + 2 * FENCE, 64);
    memory = around.asSlice(FENCE, bytes);
    region = node.export(memory, Set.of(Region.Right.PUT, Region.Right.GET));
  }

  long key() {
    return region.key();
  }

  @Override
  public int run() {
    return node.pollRegions(this, MOST);
  }

  /** In the slot are words of this put, or of a later one that is on its way. */
  @Override
  public void onNotification(
      Region of,
      Peer peer,
      MemorySegment bytes,
      long offset,
      int length,
      long targetOffset,
      long targetLength) {
    told++;
    long number = bytes.get(WORD, offset);
    if (!of.isOpen() || !atClose.equals(MemorySegment.NULL)) {
      return; // told late: its memory is the application's again
    }
    for (long at = 0; at < targetLength; at += Long.BYTES) {
      long word = memory.get(WORD, targetOffset + at);
      if (word < number || (word - number) % Puts.SLOTS != 0) {
        faults.add("put " + number + " was told, and " + word + " is at " + at);
        return;
      }
    }
  }

  /** Closes the region; from now on nothing may change. */
  void close() {
    region.close();
    atClose = Arena.ofAuto().allocate(memory.byteSize());
    atClose.copyFrom(memory);
  }

  @Override
  public JsonObject state() {
    JsonObject state = new JsonObject();
    state.addProperty("told", told);
    state.addProperty("open", region.isOpen());
    state.add("faults", faults.deepCopy());
    boolean same = region.isOpen() || atClose.mismatch(memory) < 0;
    state.addProperty("sameSinceClose", same);
    state.addProperty("sameAround", isZero(0) && isZero(FENCE + memory.byteSize()));
    return state;
  }

  private boolean isZero(long from) {
    for (long at = from; at < from + FENCE; at += Long.BYTES) {
      if (around.get(WORD, at) != 0) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void pause(boolean paused) {
    throw new UnsupportedOperationException("regions take what comes");
  }
}
