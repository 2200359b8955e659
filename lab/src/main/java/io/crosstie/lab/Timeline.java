// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * When messages of one stream were delivered: per slot of five milliseconds the bytes, the
 * messages, and the longest interval between two deliveries that ended in it. Knows of no fault.
 * One thread writes, any thread reads slots that are over. The last minutes are kept.
 */
final class Timeline {
  static final long SLOT_NS = 5_000_000;

  private static final int SLOTS = 1 << 16;

  /** A stretch of it, from a slot on; intervals in microseconds. */
  static final class Stretch {
    final long firstSlot;
    final long[] bytes;
    final long[] messages;
    final long[] gapUs;
    final long[] gapEndNs;

    Stretch(long firstSlot, int slots) {
      this.firstSlot = firstSlot;
      this.bytes = new long[slots];
      this.messages = new long[slots];
      this.gapUs = new long[slots];
      this.gapEndNs = new long[slots];
    }
  }

  private final AtomicLongArray bytes = new AtomicLongArray(SLOTS);
  private final AtomicLongArray messages = new AtomicLongArray(SLOTS);
  private final AtomicLongArray gap = new AtomicLongArray(SLOTS);
  private final AtomicLongArray gapEnd = new AtomicLongArray(SLOTS);
  private volatile long lastSlot = -1;
  private volatile long firstSlot = -1;
  private volatile long lastNs;

  /** A message was delivered just now. */
  void delivered(long nowNs, long length) {
    long slot = nowNs / SLOT_NS;
    long last = lastSlot;
    if (last < 0) {
      firstSlot = slot;
      clear((int) (slot % SLOTS));
    } else {
      long from = Math.max(last + 1, slot - SLOTS + 1);
      for (long fresh = from; fresh <= slot; fresh++) {
        clear((int) (fresh % SLOTS));
      }
    }
    lastSlot = slot;
    int index = (int) (slot % SLOTS);
    bytes.setOpaque(index, bytes.getOpaque(index) + length);
    messages.setOpaque(index, messages.getOpaque(index) + 1);
    if (last >= 0 && nowNs - lastNs > gap.getOpaque(index)) {
      gap.setOpaque(index, nowNs - lastNs);
      gapEnd.setOpaque(index, nowNs);
    }
    lastNs = nowNs;
  }

  private void clear(int index) {
    bytes.setOpaque(index, 0);
    messages.setOpaque(index, 0);
    gap.setOpaque(index, 0);
    gapEnd.setOpaque(index, 0);
  }

  /** What happened between two times, by the slots that both lie in. */
  Stretch between(long fromNs, long toNs) {
    long from = fromNs / SLOT_NS;
    int count = (int) Math.min(SLOTS / 2, Math.max(0, toNs / SLOT_NS - from));
    Stretch stretch = new Stretch(from, count);
    long last = lastSlot;
    for (int i = 0; i < count; i++) {
      long slot = from + i;
      if (slot >= firstSlot && slot <= last && slot > last - SLOTS) {
        int index = (int) (slot % SLOTS);
        stretch.bytes[i] = bytes.getOpaque(index);
        stretch.messages[i] = messages.getOpaque(index);
        stretch.gapUs[i] = gap.getOpaque(index) / 1_000;
        stretch.gapEndNs[i] = gapEnd.getOpaque(index);
      }
    }
    return stretch;
  }
}
