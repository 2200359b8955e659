// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.kernels.Check;
import io.crosstie.examples.kernels.EmbarrassinglyParallel;
import io.crosstie.examples.kernels.FourierTransform;
import io.crosstie.examples.kernels.IntegerSort;
import io.crosstie.examples.kernels.Kernel;
import io.crosstie.examples.kernels.Multigrid;
import io.crosstie.examples.kernels.Outcome;
import io.crosstie.examples.kernels.ProblemClass;
import io.crosstie.examples.kernels.SmallestEigenvalue;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.ChildProcess;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The kernels come to the published values, on any number of ranks. */
@Timeout(600)
final class KernelsTest {
  /** All of them. */
  @SuppressWarnings("ImmutableEnumChecker") // kernels have no state
  enum Each {
    EP(new EmbarrassinglyParallel()),
    IS(new IntegerSort()),
    CG(new SmallestEigenvalue()),
    FT(new FourierTransform()),
    MG(new Multigrid());

    private final Kernel kernel;

    Each(Kernel kernel) {
      this.kernel = kernel;
    }
  }

  private static void assertVerified(Kernel kernel, ProblemClass of, int... sizes)
      throws Exception {
    for (int ranks : sizes) {
      try (RankThreads worlds = new RankThreads("kernels", ranks, "shm:")) {
        worlds.run(
            world -> {
              Outcome outcome = kernel.run(world.communicator(), of);
              assertTrue(outcome.isVerified(), outcome.checks()::toString);
              assertTrue(outcome.seconds() > 0 && outcome.operations() > 0, outcome::toString);
            });
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void sample(Each each) throws Exception {
    assertVerified(each.kernel, ProblemClass.S, 1, 2, 4);
  }

  /** More ranks: CG has a grid of two by four, and boxes of MG are cut along x, too. */
  @ParameterizedTest
  @EnumSource
  void sampleOnEightRanks(Each each) throws Exception {
    Facility.TIME.require("kernels on eight ranks");
    assertVerified(each.kernel, ProblemClass.S, 8);
  }

  @ParameterizedTest
  @EnumSource
  void workstation(Each each) throws Exception {
    Facility.TIME.require("kernels of class W");
    assertVerified(each.kernel, ProblemClass.W, 1, 2, 4);
  }

  @ParameterizedTest
  @EnumSource
  void classA(Each each) throws Exception {
    Facility.TIME.require("kernels of class A");
    assertVerified(each.kernel, ProblemClass.A, 1, 2, 4);
  }

  /** Rank 0 gets some 3 MiB for each transform, so the cut comes in the middle. */
  @Test
  void fourierTransformWhileARailIsCut() throws Exception {
    try (RankThreads worlds = RankThreads.overUdp("kernel-cut", 4)) {
      worlds.runWhileARailIsCut(
          6L << 20,
          world -> {
            Outcome outcome = new FourierTransform().run(world.communicator(), ProblemClass.S);
            assertTrue(outcome.isVerified(), outcome.checks()::toString);
          });
    }
  }

  @Test
  void aValueThatIsNotNearIsTold() {
    assertTrue(new Check("x", 1 + 1e-9, 1, 1e-8).isMet());
    assertFalse(new Check("x", 1 + 1e-7, 1, 1e-8).isMet());
    assertFalse(new Check("x", Double.NaN, 1, 1e-8).isMet());
    assertFalse(new Check("x", 1, 0, 0).isMet());
    assertFalse(new Outcome(1, 1, List.of()).isVerified());
  }

  @Test
  void ranksThatAKernelCannotHave() {
    for (Each each : Each.values()) {
      each.kernel.check(4, ProblemClass.S);
      for (int ranks : new int[] {0, 3, 6, 1 << 20}) {
        assertThrows(
            IllegalArgumentException.class, () -> each.kernel.check(ranks, ProblemClass.S));
      }
    }
  }

  @Test
  void programsTellTheirResult() {
    try (ChildProcess job =
        RunningJob.start(List.of("-n", "2"), IntegerSort.class, "--class", "S", "--json")) {
      RunningJob.awaitEnd(0, job);
      String line = job.unread().strip();
      assertTrue(
          line.matches(
              "\\{\"kernel\":\"IS\",\"class\":\"S\",\"ranks\":2,\"seconds\":[0-9.]+,"
                  + "\"mops\":[0-9.]+,\"verified\":true}"),
          line);
    }
  }

  @Test
  void programsTellWhatIsWrong() {
    try (ChildProcess job = RunningJob.start(List.of("-n", "3"), IntegerSort.class)) {
      RunningJob.awaitEnd(Kernel.MISUSE, job);
      String said = RunningJob.said(job);
      assertTrue(said.contains("IS runs on 1, 2, 4, 8 and so on ranks, not on 3"), said);
    }
  }

  @Test
  void programsTellWhichWordsThereAre() {
    Facility.TIME.require("one more job");
    try (ChildProcess job = RunningJob.start(List.of("-n", "1"), IntegerSort.class, "-c", "S")) {
      RunningJob.awaitEnd(Kernel.MISUSE, job);
      assertTrue(RunningJob.said(job).contains("-c: the words are [--class S|W|A] [--json]"));
    }
  }
}
