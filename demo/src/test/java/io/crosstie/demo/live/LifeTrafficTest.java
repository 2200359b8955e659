// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LifeTrafficTest {
  private static final Report.Gaps NONE = new Report.Gaps(0, 0, 0, 0, 0);

  private static List<RailView> rails(long payloadIn, long received, long sent) {
    return List.of(
        new RailView(
            "rail1", "", "", "", true, "ACTIVE", "", payloadIn, 0, 0, 0, 0, 0, received, sent));
  }

  private static Report report(long payloadIn, long received) {
    List<RailView> rails = rails(payloadIn, received, 0);
    return new Report("1", 1, 0, List.of(), NONE, rails, new Report.Tcp("", 0, 0, NONE));
  }

  /** The sender's counters began at 0 when it was started over, the receiver's went on. */
  @Test
  void moreNeverArrivesThanWasSent() {
    LifeTraffic traffic = new LifeTraffic(rails(0, 0, 50));
    LiveState.Traffic nothing = new LiveState.Traffic(0, 0, 0);
    assertEquals(List.of(nothing), traffic.look(null, rails(0, 0, 60), null));
    assertEquals(List.of(nothing), traffic.look("life", rails(0, 0, 200), null));
    LiveState.Traffic first =
        traffic.look("life", rails(0, 0, 900), report(8_000, 10_000)).getFirst();
    assertEquals(new LiveState.Traffic(840, 0, 0), first);
    LiveState.Traffic later =
        traffic.look("life", rails(0, 0, 2_000), report(8_500, 10_700)).getFirst();
    assertEquals(new LiveState.Traffic(1_940, 700, 500), later);
    traffic.look("next", rails(0, 0, 2_100), null);
    LiveState.Traffic next =
        traffic.look("next", rails(0, 0, 2_500), report(9_000, 12_000)).getFirst();
    assertEquals(new LiveState.Traffic(500, 0, 0), next);
  }

  @Test
  void interfacesComeAndGo() {
    KernelTotal total = new KernelTotal();
    assertEquals(100, total.update(3, 100));
    assertEquals(150, total.update(3, 150));
    assertEquals(160, total.update(4, 10), "another interface counts anew");
    assertEquals(165, total.update(4, 15));
    assertEquals(167, total.update(4, 2), "so does one that was reset");
    assertEquals(167, total.total());
  }
}
