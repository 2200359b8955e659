// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.examples.kernels.EmbarrassinglyParallel;
import io.crosstie.examples.kernels.FourierTransform;
import io.crosstie.examples.kernels.IntegerSort;
import io.crosstie.examples.kernels.Kernel;
import io.crosstie.examples.kernels.Multigrid;
import io.crosstie.examples.kernels.Outcome;
import io.crosstie.examples.kernels.ProblemClass;
import io.crosstie.examples.kernels.SmallestEigenvalue;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.ranks.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * A rank of {@code bench kernels}, started by the launcher: runs one kernel, and may meanwhile cut
 * its own first rail.
 */
public final class KernelWorker {
  /** Begins a line that each rank prints: its number, seconds, whether verified, bytes, packets. */
  static final String FIGURE = "figure";

  /** As they are named, in the usual order. */
  static final List<Kernel> KERNELS =
      List.of(
          new EmbarrassinglyParallel(),
          new IntegerSort(),
          new SmallestEigenvalue(),
          new FourierTransform(),
          new Multigrid());

  private static final long POLL_NS = 200_000;

  private KernelWorker() {}

  /**
   * The kernel of that name.
   *
   * @throws IllegalArgumentException if there is none
   */
  static Kernel kernel(String name) {
    for (Kernel kernel : KERNELS) {
      if (kernel.name().equals(name)) {
        return kernel;
      }
    }
    throw new IllegalArgumentException(
        "--kernels " + name + ": there are " + KERNELS.stream().map(Kernel::name).toList());
  }

  private static long sum(World world, RailCounter counter) {
    long sum = 0;
    for (Peer peer : world.node().peers()) {
      for (RailInfo rail : peer.rails()) {
        sum += rail.counters().get(counter);
      }
    }
    return sum;
  }

  /** Once this rank has got so many bytes its first port gets no packet any more. */
  private static Thread cutAfter(World world, long bytes) {
    PortInfo first = world.node().ports().getFirst();
    int port = Integer.parseInt(first.address().substring(first.address().lastIndexOf(':') + 1));
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              while (sum(world, RailCounter.PAYLOAD_IN) < bytes) {
                LockSupport.parkNanos(POLL_NS);
              }
              try {
                if (BlackHole.set(port, true) == 0) {
                  throw new IllegalStateException("no socket is bound to port " + port);
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  /** Kernel, class, and after how many bytes a rail is cut, 0 for never. */
  public static void main(String[] args) {
    long bytes = Long.parseLong(args[2]);
    try (World world = World.join()) {
      Thread cut = bytes > 0 ? cutAfter(world, bytes) : null;
      Outcome outcome = kernel(args[0]).run(world.communicator(), ProblemClass.valueOf(args[1]));
      long again =
          sum(world, RailCounter.REINJECTED)
              + sum(world, RailCounter.LOST_BY_TIMEOUT)
              + sum(world, RailCounter.LOST_BY_RAIL_DOWN);
      boolean asMeant = outcome.isVerified() && (cut == null || !cut.isAlive());
      System.out.printf(
          Locale.ROOT,
          "%s %d %.9f %b %d %d%n",
          FIGURE,
          world.rank(),
          outcome.seconds(),
          asMeant,
          sum(world, RailCounter.PAYLOAD_IN),
          again);
      world.communicator().barrier();
    }
  }
}
