// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

final class WorkerTest {
  /** It waited for ever, if the end came where another order was expected. */
  @Test
  void endsWhenItsControllerEndsInTheMiddleOfACase() {
    Object open = new Order.Open(new CaseSpec(Bench.RTT, "bare", 8, 0, false, 1, 1, 0));
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    Worker worker =
        new Worker(Rail.UDP, false, new PrintStream(said, true, StandardCharsets.UTF_8));
    worker.readOrders(
        new ByteArrayInputStream(
            (Worker.LINES.encode(open) + "\n").getBytes(StandardCharsets.UTF_8)));
    assertTimeoutPreemptively(Duration.ofSeconds(60), worker::work);
    assertTrue(said.toString(StandardCharsets.UTF_8).contains("Opened"), said::toString);
  }
}
