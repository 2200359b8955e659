// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.crosstie.testkit.stream.StreamVerifier;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class LinesTest {
  @Test
  void everythingSurvivesTheWay() {
    List<Object> lines =
        List.of(
            new Command.Start(
                "a",
                "b",
                true,
                List.of(RailSpec.sharedMemory("shm", Path.of("/x y"))),
                "udp://127.0.0.1:1",
                "C:\\ä\n",
                -1,
                false,
                null),
            new Command.Go(),
            new Command.Cut("udp1", CutKind.BLACK_HOLE, true),
            new Command.Restore(List.of("a", "b")),
            new Report.CutMade(1, "x", "<>&=' \u2028"),
            new Report.Judged(
                new StreamVerifier.Account(1, 2, 3, 4, 5, 6, "why"), StreamVerifier.Account.NONE),
            new Report.Exited(3));
    for (Object line : lines) {
      String text = Worker.LINES.encode(line);
      assertFalse(text.contains("\n"), text);
      assertEquals(line, Worker.LINES.decode(text));
    }
  }

  @Test
  void statusSurvivesTheWay() {
    Report.Status status =
        new Report.Status(
            7,
            8,
            Long.MAX_VALUE,
            List.of(new Report.RailStatus("shm", "ACTIVE", Map.of("X", Long.MIN_VALUE))),
            List.of(new long[] {1, 2}));
    Report.Status back = (Report.Status) Worker.LINES.decode(Worker.LINES.encode(status));
    assertEquals(status.rails(), back.rails());
    assertEquals(Long.MAX_VALUE, back.bytes());
    assertArrayEquals(new long[] {1, 2}, back.pauses().getFirst());
  }

  @Test
  void garbageIsRefused() {
    for (String line : List.of("", "hello", "Nothing {}", "Go nonsense{", "Cut [1]")) {
      assertThrows(IllegalArgumentException.class, () -> Worker.LINES.decode(line), line);
    }
  }
}
