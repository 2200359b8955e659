// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.Heat;
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
 * <p>More steps by {@code -Dheat.steps=100000}, another order of stops by {@code -Dheat.seed=7}.
 */
final class HeatIT extends ProcessScene {
  private static final int PROCESSES = 4;
  private static final int STEPS = Integer.getInteger("heat.steps", 2000);
  private static final long SEED = Long.getLong("heat.seed", 1);

  @ParameterizedTest
  @ValueSource(strings = {"caller", "thread"})
  @Timeout(3600)
  void everyRowIsTheOneOfItsStep(String progress) {
    Random random = new Random(SEED);
    int[] ports = freePorts(PROCESSES);
    List<WorkerProcess> processes = new ArrayList<>();
    for (int rank = 0; rank < PROCESSES; rank++) {
      List<String> options = new ArrayList<>(WorkerProcess.SMALL);
      options.addAll(WorkerProcess.NATIVE);
      List<String> arguments = new ArrayList<>(List.of("" + rank, "" + STEPS, progress));
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
    List<WorkerProcess> running = new ArrayList<>(processes);
    while (!running.isEmpty()) {
      WorkerProcess process = running.get(random.nextInt(running.size()));
      signal(process, "STOP");
      Await.pass(Duration.ofMillis(15 + random.nextInt(46)));
      signal(process, "CONT");
      stops++;
      Await.pass(Duration.ofMillis(random.nextInt(60)));
      running.removeIf(p -> !p.isAlive());
    }
    for (int rank = 0; rank < PROCESSES; rank++) {
      WorkerProcess process = processes.get(rank);
      process.awaitExit();
      assertEquals(
          "sum " + Heat.expected(rank, PROCESSES, STEPS),
          process.output(),
          "rank " + rank + ", " + stops + " stops, seed " + SEED + "\n" + process.errors());
      assertEquals(0, process.exitValue());
    }
    assertTrue(stops > 0);
  }

  /** What cannot be signalled has come to its end by itself. */
  private static void signal(WorkerProcess process, String signal) {
    try {
      process.signal(signal);
    } catch (AssertionError e) {
      process.awaitExit();
    }
  }
}
