// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

final class CutGapTest {
  private static final long SECOND_NS = 1_000_000_000L;

  private final CutGap gap = new CutGap();

  private static Report.Gaps gaps(double lastMs) {
    return new Report.Gaps(lastMs, 0, 188, 1, 0);
  }

  private static List<RailView> rail(String state) {
    return List.of(new RailView("r", "", "", "", true, state, "", 0, 0, 0, 0, 0, 0, 0, 0));
  }

  @Test
  void longestAboutTheLastCutAlone() {
    gap.take(gaps(188), 0);
    assertNull(gap.longestMs(), "there was no cut");
    gap.cut(SECOND_NS);
    gap.take(gaps(1), SECOND_NS + 1);
    gap.take(gaps(5), SECOND_NS + 2);
    gap.take(gaps(2), SECOND_NS + 3);
    assertEquals(5, gap.longestMs());
    gap.take(gaps(4), 7 * SECOND_NS);
    gap.take(gaps(90), 8 * SECOND_NS);
    assertEquals(5, gap.longestMs(), "it was long after the cut");
    gap.cut(9 * SECOND_NS);
    gap.take(gaps(3), 9 * SECOND_NS + 1);
    assertEquals(3, gap.longestMs());
    gap.reset();
    assertNull(gap.longestMs());
  }

  @Test
  void railThatFailsByItselfIsACut() {
    gap.look(rail("UNVALIDATED"), 0);
    gap.look(rail("ACTIVE"), 1);
    gap.take(gaps(9), 2);
    assertNull(gap.longestMs());
    gap.look(rail("SUSPECT"), 3);
    gap.look(rail("ACTIVE"), 3);
    gap.look(rail("SUSPECT"), 3);
    gap.take(gaps(9), 3);
    assertNull(gap.longestMs(), "a suspicion");
    gap.look(rail("DOWN"), 3);
    gap.take(gaps(7), 4);
    assertEquals(7, gap.longestMs());
  }
}
