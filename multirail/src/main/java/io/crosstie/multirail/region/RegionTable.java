// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.multirail.region;

import io.crosstie.agrona.collections.Long2ObjectHashMap;
import io.crosstie.reliability.fault.PlantedFault;
import io.crosstie.reliability.memory.MemoryBudget;
import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The regions that a node exports, by their keys (R27); bounded, and charged. Engine thread. */
public final class RegionTable {
  /** So many at a time (R24). */
  public static final int MOST = 1 << 16;

  /** What one takes, charged to the node's bound of memory for messages. */
  private static final long BYTES = 256;

  private final Long2ObjectHashMap<ExportedRegion> byKey = new Long2ObjectHashMap<>();
  private final RandomGenerator random;
  private final MemoryBudget.Account account;
  private PlantedFault planted = PlantedFault.NONE;

  /**
   * An empty one.
   *
   * @param random draws keys, which nobody may guess
   * @param account is charged for each
   */
  public RegionTable(RandomGenerator random, MemoryBudget.Account account) {
    this.random = random;
    this.account = account;
  }

  /** Puts a fault in, as a negative control. */
  public void plant(PlantedFault fault) {
    planted = fault;
  }

  /**
   * Exports memory.
   *
   * @param rights {@link ExportedRegion#PUT} and so on
   * @param who the one peer that may use it; null for all
   * @param owner what the layer above knows it as
   * @return null if there is no room for another one
   */
  public @Nullable ExportedRegion export(
      MemorySegment memory, int rights, @Nullable String who, Object owner) {
    if (byKey.size() >= MOST || !account.tryTake(BYTES)) {
      return null;
    }
    long key;
    do {
      key = random.nextLong();
    } while (key == 0 || byKey.containsKey(key));
    ExportedRegion region = new ExportedRegion(key, memory, rights, who, owner);
    byKey.put(key, region);
    return region;
  }

  /** It is there no more: nothing is written to it from now on. May be done again. */
  public void close(long key) {
    if (planted == PlantedFault.CLOSED_IS_OPEN) {
      return;
    }
    ExportedRegion region = byKey.remove(key);
    if (region != null) {
      account.give(BYTES);
      if (planted != PlantedFault.GOT_AFTER_CLOSE) {
        region.close(); // what is on its way from it is read no more
      }
    }
  }

  /** The open region of that key, which is any number. */
  @Nullable ExportedRegion get(long key) {
    return byKey.get(key);
  }

  /** How many are open. */
  public int size() {
    return byKey.size();
  }
}
