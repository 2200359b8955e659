// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.Heat;
import io.crosstie.testkit.Campaign;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import io.crosstie.testkit.process.ToolException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The first program of somebody who computes: rows of a plate go to the neighbours in each of many
 * steps, over shared memory beside UDP, while processes are stopped for a moment now and then.
 *
 * <p>More stops by {@code -Dheat.stops=5000}, others by {@code -Dheat.seed=7}.
 */
final class HeatIT extends ProcessScene {
  private static final int PROCESSES = 4;
  private static final int STOPS = Integer.getInteger("heat.stops", Campaign.count(60, 200));
  private static final long SEED = Long.getLong("heat.seed", 1);

  @ParameterizedTest
  @ValueSource(strings = {"caller", "thread"})
  @Timeout(3600)
  void everyRowIsTheOneOfItsStep(String progress) {
    Facility.TIME.require("a program of four processes that are stopped");
    Random random = new Random(SEED);
    int[] ports = Ports.free(PROCESSES);
    List<WorkerProcess> processes = new ArrayList<>();
    for (int rank = 0; rank < PROCESSES; rank++) {
      List<String> options = new ArrayList<>(WorkerProcess.SMALL);
      options.addAll(WorkerProcess.NATIVE);
      List<String> arguments = new ArrayList<>(List.of("" + rank, "" + Long.MAX_VALUE, progress));
      Arrays.stream(ports).mapToObj(Integer::toString).forEach(arguments::add);
      processes.add(
          keep(
              WorkerProcess.startProgram(
                  "r" + rank, options, Heat.class.getName(), arguments.toArray(String[]::new))));
    }
    for (WorkerProcess process : processes) {
      assertEquals("up", process.readLine("its start"));
    }
    int stops = 0;
    while (stops < STOPS && processes.stream().allMatch(WorkerProcess::isAlive)) {
      WorkerProcess process = processes.get(random.nextInt(PROCESSES));
      signal(process, "STOP");
      Await.pass(Duration.ofMillis(15 + random.nextInt(46)));
      signal(process, "CONT");
      stops++;
      Await.pass(Duration.ofMillis(random.nextInt(60)));
    }
    processes.getFirst().tell("end");
    for (int rank = 0; rank < PROCESSES; rank++) {
      WorkerProcess process = processes.get(rank);
      String what = "rank " + rank + ", " + stops + " stops, seed " + SEED;
      String line = process.readLine(what);
      assertTrue(line.startsWith("steps "), what + ": " + line + "\n" + process.errors());
      long steps = Long.parseLong(line.substring(6));
      String sum = process.readLine(what);
      assertEquals("sum " + Heat.expected(rank, PROCESSES, steps), sum, what);
      process.awaitExit();
      assertEquals(0, process.exitValue());
      assertTrue(steps > stops, "nothing was calculated: " + steps);
    }
    assertEquals(STOPS, stops);
  }

  /** What cannot be signalled has come to its end by itself. */
  private static void signal(WorkerProcess process, String signal) {
    try {
      process.signal(signal);
    } catch (ToolException e) {
      process.awaitExit();
    }
  }
}
