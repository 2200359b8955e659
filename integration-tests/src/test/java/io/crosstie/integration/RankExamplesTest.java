// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.ranks.ConjugateGradient;
import io.crosstie.examples.ranks.HeatDiffusion;
import io.crosstie.examples.ranks.LargeRing;
import io.crosstie.examples.ranks.MasterAndWorkers;
import io.crosstie.examples.ranks.SampleSort;
import io.crosstie.ranks.World;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples on four ranks in one JVM: each comes to its serial result. */
@Timeout(180)
final class RankExamplesTest {
  private static final int RANKS = 4;

  private static Consumer<World> isRight(Predicate<World> example) {
    return world -> assertTrue(example.test(world), "differs from the serial result");
  }

  private static void run(Predicate<World> example) throws Exception {
    try (RankThreads worlds = new RankThreads("examples", RANKS, "shm:")) {
      worlds.run(isRight(example));
    }
  }

  @Test
  void heatDiffusion() throws Exception {
    run(world -> HeatDiffusion.isRight(world, 100, 12, 200));
  }

  @Test
  void sampleSort() throws Exception {
    run(world -> SampleSort.isRight(world, 20_000));
  }

  @Test
  void conjugateGradient() throws Exception {
    run(world -> ConjugateGradient.isRight(world, 40, 10));
  }

  @Test
  void masterAndWorkers() throws Exception {
    run(world -> MasterAndWorkers.isRight(world, 40));
  }

  @Test
  void largeRingWhileARailIsCut() throws Exception {
    try (RankThreads worlds = RankThreads.overUdp("cut", RANKS)) {
      worlds.runWhileARailIsCut(3L << 20, isRight(world -> LargeRing.isRight(world, 2 << 20, 4)));
    }
  }
}
