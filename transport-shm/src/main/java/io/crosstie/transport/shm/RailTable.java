// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.shm;

import io.crosstie.transport.RailAddress;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The rails of a port, and what is done to all of them. A fault in the mapping of one ends that
 * one.
 *
 * <p>The engine's thread only. Indexes stay valid until {@link #release()}.
 */
final class RailTable {
  private @Nullable ShmRail[] rails = new @Nullable ShmRail[4];
  private int size;
  private long lastKey;

  int size() {
    return size;
  }

  ShmRail get(int index) {
    return Objects.requireNonNull(rails[index]);
  }

  void add(ShmRail rail) {
    if (size == rails.length) {
      rails = Arrays.copyOf(rails, 2 * size);
    }
    rails[size++] = rail;
  }

  /** One key for all segments of a peer, whichever side offered them; a new one for a new peer. */
  long keyOf(RailAddress peer) {
    for (int i = 0; i < size; i++) {
      if (get(i).remoteAddress().equals(peer)) {
        return get(i).remoteKey();
      }
    }
    return ++lastKey;
  }

  /** Unmaps and forgets closed rails. Nobody may have their memory in hand. */
  void release() {
    int kept = 0;
    for (int i = 0; i < size; i++) {
      ShmRail rail = get(i);
      if (rail.isReleased()) {
        rail.segment().close();
      } else {
        rails[kept++] = rail;
      }
    }
    Arrays.fill(rails, kept, size, null);
    size = kept;
  }

  /**
   * The mapping of some rail faulted. The JVM may tell late, after another rail was touched: so the
   * files say whose fault it was, and only if none is short is it that of the rail in hand.
   */
  void mappingFault(ShmRail inHand) {
    if (!failTruncated()) {
      inHand.fail("its mapping faulted");
    }
  }

  /** Ends rails whose file is shorter than its mapping. Returns whether there were any. */
  boolean failTruncated() {
    boolean found = false;
    for (int i = 0; i < size; i++) {
      ShmRail rail = get(i);
      if (!rail.isReleased() && rail.segment().truncated()) {
        rail.fail("its file was truncated");
        found = true;
      }
    }
    return found;
  }

  /** Ends all rails, after they handed up what they hold. */
  void drain(String why) {
    for (int i = 0; i < size; i++) {
      get(i).drain(why);
    }
  }

  void raiseSleeping() {
    for (int i = 0; i < size; i++) {
      ShmRail rail = get(i);
      try {
        rail.raiseSleeping();
      } catch (InternalError e) {
        mappingFault(rail);
      }
    }
  }

  void lowerSleeping() {
    for (int i = 0; i < size; i++) {
      ShmRail rail = get(i);
      try {
        rail.lowerSleeping();
      } catch (InternalError e) {
        mappingFault(rail);
      }
    }
  }

  /** Whether there is a packet in any ring. */
  boolean packetWaits() {
    for (int i = 0; i < size; i++) {
      ShmRail rail = get(i);
      try {
        if (rail.packetWaits()) {
          return true;
        }
      } catch (InternalError e) {
        mappingFault(rail);
      }
    }
    return false;
  }
}
