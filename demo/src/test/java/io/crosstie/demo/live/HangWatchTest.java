// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

final class HangWatchTest {
  private static final long STEP_NS = 200_000_000L;

  private final HangWatch watch = new HangWatch();
  private long nowNs;

  private void look(int times, long bulk, long heartbeats, long sent) {
    for (int i = 0; i < times; i++) {
      nowNs += STEP_NS;
      Report report =
          new Report(
              "1",
              1,
              0,
              List.of(stream(bulk), stream(heartbeats + i)),
              new Report.Gaps(0, 0, 0, 0, 0),
              List.of(),
              new Report.Tcp("", 0, 0, new Report.Gaps(0, 0, 0, 0, 0)));
      watch.look(report, sent, heartbeats + i + 10, nowNs);
    }
  }

  private static Report.Stream stream(long delivered) {
    return new Report.Stream("", delivered, 0, 0, 0, 0, 0, "");
  }

  @Test
  void oneStreamThatHangsIsEnough() {
    look(20, 5, 1, 6);
    assertFalse(watch.isHanging());
    look(20, 5, 100, 6);
    assertTrue(watch.isHanging());
    assertTrue(watch.longestMs() > 2_000);
    look(1, 6, 200, 7);
    assertFalse(watch.isHanging());
    assertTrue(watch.longestMs() > 2_000, "a hang that was stays known");
    watch.reset();
    assertEquals(0, watch.longestMs());
  }

  @Test
  void streamWithNothingUnderWayDoesNotHang() {
    look(100, 5, 1, 5);
    assertFalse(watch.isHanging());
    assertEquals(0, watch.longestMs());
  }
}
