// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;

final class LinesTest {
  @Test
  void everyLineComesBack() {
    CaseSpec spec = new CaseSpec(Bench.OPENLOOP, "bare", 64, 1000, true, 1, 2, 3);
    Tally tally = new Tally(1, 2, 3, 4, 5, 6, "H", "n");
    for (Object line :
        List.of(
            new Order.Open(spec),
            new Order.Connect("a b"),
            new Order.Run(),
            new Order.Measure(),
            new Order.Stop(),
            new Order.Close(),
            new Reply.Opened("udp://127.0.0.1:1"),
            new Reply.Ready(),
            new Reply.Stopped(tally),
            new Reply.Failed("why \"so\""))) {
      assertEquals(line, Worker.LINES.decode(Worker.LINES.encode(line)));
    }
  }

  @Test
  void refusesWhatIsNotOurs() {
    assertThrows(IllegalArgumentException.class, () -> Worker.LINES.decode("WARNING: something"));
    assertThrows(IllegalArgumentException.class, () -> Worker.LINES.decode("Open nonsense"));
  }
}
