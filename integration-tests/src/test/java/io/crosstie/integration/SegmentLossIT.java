// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever becomes of a segment, the messages arrive. */
final class SegmentLossIT extends ProcessScene {
  private static final String SEED = "20261121";

  @TempDir private Path folder;

  @Test
  void streamsLoseTheirSegmentInTheMiddle() {
    Facility.TIME.require("segments that are lost");
    run("losses", folder.toString(), SEED, "" + Campaign.count(20, 1000));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sealed", "file"})
  void bytesOfTheControlAreaChangeUnderTraffic(String memory) {
    Facility.TIME.require("bytes of the control area");
    String step = Integer.toString(Campaign.count(3, 1)); // bytes of all places within a word
    run("bytes", folder.toString(), SEED, memory, step);
  }

  private void run(String... arguments) {
    WorkerProcess program =
        keep(
            WorkerProcess.startProgram(
                arguments[0], WorkerProcess.NATIVE, ManyStreams.class.getName(), arguments));
    // a stream that hangs is found by the program itself; this is for all of them
    Duration patience = Await.PATIENCE.multipliedBy(Campaign.count(4, 20));
    Await.until(() -> !program.isAlive(), patience, arguments[0]);
    program.awaitExit();
    String said = program.output();
    System.out.println(arguments[0] + ": " + said);
    assertTrue(
        program.exitValue() == 0 && said.startsWith("done"),
        () -> "seed " + SEED + ", exit " + program.exitValue() + ": " + said + program.errors());
  }
}
