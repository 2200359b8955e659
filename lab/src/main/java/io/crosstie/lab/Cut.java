// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One cut, and what the receiver's time lines say of it afterwards. Times are {@link
 * System#nanoTime()}.
 *
 * @param marks when something failed
 * @param healNs when the fault began to be taken away
 * @param endNs up to when the receiver was watched
 * @param probe the paced stream, from before the cut to the end
 * @param load the other stream
 * @param machine what the machine did meanwhile by itself
 */
record Cut(
    List<Long> marks,
    long healNs,
    long endNs,
    Timeline.Stretch probe,
    Timeline.Stretch load,
    Metronome.Disturbance machine) {
  private static final int WINDOW = 10; // slots: 50 ms
  private static final int LONG_WINDOW = 20;
  private static final double FULL = 0.9;

  /** The longest interval between two deliveries of a stream after each mark, in milliseconds. */
  static List<Double> gapsMs(List<Long> marks, long endNs, Timeline.Stretch stretch) {
    List<Double> gaps = new ArrayList<>();
    for (int i = 0; i < marks.size(); i++) {
      long from = marks.get(i);
      long to = i + 1 < marks.size() ? marks.get(i + 1) : endNs;
      long longestUs = 0;
      for (int slot = 0; slot < stretch.gapUs.length; slot++) {
        if (stretch.gapEndNs[slot] >= from && stretch.gapEndNs[slot] < to) {
          longestUs = Math.max(longestUs, stretch.gapUs[slot]);
        }
      }
      if (to == endNs) {
        longestUs = Math.max(longestUs, (endNs - lastDeliveryNs(stretch)) / 1_000);
      }
      gaps.add(longestUs / 1e3);
    }
    return gaps;
  }

  /** To the slot: when the last message came, from which on there is a gap without an end. */
  private static long lastDeliveryNs(Timeline.Stretch stretch) {
    int slot = lastDelivered(stretch);
    return (stretch.firstSlot + slot + 1) * Timeline.SLOT_NS;
  }

  /** How long after the fault's end the first message was delivered, if there had been silence. */
  double resumeMs() {
    for (int slot = 0; slot < probe.gapUs.length; slot++) {
      long end = probe.gapEndNs[slot];
      if (end >= healNs && end - probe.gapUs[slot] * 1_000 < healNs) {
        return (end - healNs) / 1e6;
      }
    }
    return probe.gapUs.length == 0 || lastDelivered(probe) < slot(probe, healNs)
        ? (endNs - healNs) / 1e6
        : 0;
  }

  private static int lastDelivered(Timeline.Stretch stretch) {
    for (int slot = stretch.messages.length - 1; slot >= 0; slot--) {
      if (stretch.messages[slot] > 0) {
        return slot;
      }
    }
    return -1;
  }

  /** Bytes of 50 ms of load as they were before the first mark: the median. */
  double baseline() {
    int before = slot(load, marks.getFirst());
    List<Double> windows = new ArrayList<>();
    for (int slot = 0; slot + WINDOW <= before; slot++) {
      windows.add((double) sum(slot, WINDOW));
    }
    return Report.median(windows);
  }

  /** How long after the fault's end the load was at its full rate again, for 50 ms on end. */
  double failbackMs() {
    double full = FULL * baseline();
    int heal = slot(load, healNs);
    for (int slot = heal; slot + WINDOW <= load.bytes.length; slot++) {
      if (sum(slot, WINDOW) >= full) {
        return Math.max(0, ((load.firstSlot + slot) * Timeline.SLOT_NS - healNs) / 1e6);
      }
    }
    return (endNs - healNs) / 1e6;
  }

  /** How much of the load's goodput was missing while the fault lasted, on average; 0 to 1. */
  double dip() {
    int from = slot(load, marks.getFirst());
    int to = Math.min(slot(load, healNs), load.bytes.length);
    double baseline = baseline();
    if (to <= from || baseline == 0) {
      return 0;
    }
    return Math.max(0, 1 - sum(from, to - from) * (double) WINDOW / (to - from) / baseline);
  }

  /** How much of the load's goodput was missing in the worst 100 ms; 0 to 1. */
  double worstDip() {
    int from = slot(load, marks.getFirst());
    double baseline = baseline() * LONG_WINDOW / WINDOW;
    double least = baseline;
    for (int slot = from; slot + LONG_WINDOW <= load.bytes.length; slot++) {
      least = Math.min(least, (double) sum(slot, LONG_WINDOW));
    }
    return baseline == 0 ? 0 : 1 - least / baseline;
  }

  private long sum(int slot, int count) {
    return Arrays.stream(load.bytes, slot, Math.min(slot + count, load.bytes.length)).sum();
  }

  private static int slot(Timeline.Stretch stretch, long ns) {
    return Math.clamp(ns / Timeline.SLOT_NS - stretch.firstSlot, 0, stretch.bytes.length);
  }
}
