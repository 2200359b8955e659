// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each rail carried in the streams' present life. The two sides count from times of their own,
 * and a side that is started over counts anew; here both count from the beginning of the life, the
 * sender from a little before, so that no more arrives than was sent. One thread.
 */
final class LifeTraffic {
  private final List<RailView> none;
  private List<RailView> before;
  private @Nullable Object life;
  private List<RailView> sentBefore;
  private @Nullable List<RailView> arrivedBefore;

  /**
   * Of rails.
   *
   * @param first how they are before the first life
   */
  LifeTraffic(List<RailView> first) {
    none = List.copyOf(first);
    before = none;
    sentBefore = none;
  }

  /**
   * What each rail has carried; nothing before the receiver's first account of a life.
   *
   * @param present what tells this life from others; null before the first
   * @param report the receiver's latest account of it, null before the first
   */
  @SuppressWarnings("ReferenceEquality") // it stands for itself
  List<LiveState.Traffic> look(
      @Nullable Object present, List<RailView> here, @Nullable Report report) {
    if (present != life) {
      life = present;
      sentBefore = before;
      arrivedBefore = null;
    }
    before = here;
    if (report == null) {
      return none.stream().map(rail -> new LiveState.Traffic(0, 0, 0)).toList();
    }
    List<RailView> base = arrivedBefore == null ? report.rails() : arrivedBefore;
    arrivedBefore = base;
    List<LiveState.Traffic> traffic = new ArrayList<>();
    for (int rail = 0; rail < here.size(); rail++) {
      RailView there = report.rails().get(rail);
      traffic.add(
          new LiveState.Traffic(
              here.get(rail).txBytes() - sentBefore.get(rail).txBytes(),
              there.rxBytes() - base.get(rail).rxBytes(),
              there.payloadIn() - base.get(rail).payloadIn()));
    }
    return traffic;
  }
}
