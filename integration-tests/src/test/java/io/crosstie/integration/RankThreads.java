// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.benchmarks.process.BlackHole;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.Reduction;
import io.crosstie.ranks.World;
import io.crosstie.ranks.WorldConfig;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.Ports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/** The ranks of a world, each by a thread of this JVM. */
final class RankThreads implements AutoCloseable {
  private static final String[] UDP = {"udp://127.0.0.1:0", "udp://127.0.0.2:0"};
  private static final long PATIENCE_S = 300;
  private static final long CUT = 1L << 40;

  private final List<World> worlds = new ArrayList<>();

  /** They have joined. */
  RankThreads(String key, int ranks, String... rails) {
    String job = key + "-" + ProcessHandle.current().pid();
    String introducer = ranks == 1 ? "" : "127.0.0.1:" + Ports.free();
    for (int rank = 0; rank < ranks; rank++) {
      WorldConfig config = new WorldConfig().job(rank, ranks, job, introducer);
      List.of(rails).forEach(config::rail);
      worlds.add(World.join(config));
    }
  }

  /** Over two UDP rails. */
  static RankThreads overUdp(String key, int ranks) {
    return new RankThreads(key, ranks, UDP);
  }

  /** A program in all ranks at once. */
  void run(Consumer<World> program) throws Exception {
    run(program, () -> {});
  }

  /** The same; meanwhile this thread does something else. */
  private void run(Consumer<World> program, Runnable meanwhile) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(worlds.size())) {
      List<Future<?>> all = new ArrayList<>();
      for (World world : worlds) {
        all.add(
            threads.submit(
                () -> {
                  program.accept(world);
                  world.communicator().barrier();
                }));
      }
      try {
        meanwhile.run();
        for (Future<?> each : all) {
          Object unused = each.get(PATIENCE_S, TimeUnit.SECONDS);
        }
      } catch (Exception | AssertionError e) {
        threads.shutdownNow();
        close(); // what still waits ends with an error
        throw e;
      }
    }
  }

  /**
   * The same; the first rail of each rank is cut once rank 0 has got so many bytes, while data is
   * on it. Nobody but the counters is told. The program runs again if it was over by then.
   */
  void runWhileARailIsCut(long bytes, Consumer<World> program) throws Exception {
    Facility.LINUX.require("sockets that are made deaf by a filter");
    List<Integer> ports = new ArrayList<>();
    for (World world : worlds) {
      PortInfo first = world.node().ports().getFirst();
      ports.add(Integer.parseInt(first.address().substring(first.address().lastIndexOf(':') + 1)));
    }
    AtomicBoolean cut = new AtomicBoolean();
    run(
        world -> {
          long[] told = new long[1];
          while (told[0] <= CUT) { // which nothing but the cut and what was on its way exceed
            program.accept(world);
            told[0] =
                sum(world, RailCounter.REINJECTED)
                    + sum(world, RailCounter.LOST_BY_TIMEOUT)
                    + sum(world, RailCounter.LOST_BY_RAIL_DOWN)
                    + (world.rank() == 0 && cut.get() ? CUT : 0);
            world.communicator().allreduce(Data.of(told), Data.of(told), Reduction.SUM);
          }
        },
        () -> {
          World zero = worlds.getFirst();
          while (sum(zero, RailCounter.PAYLOAD_IN) < bytes) {
            zero.node().idle();
          }
          for (int port : ports) {
            try {
              assertTrue(BlackHole.set(port, true) > 0);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
          cut.set(true);
        });
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

  @Override
  public void close() {
    worlds.reversed().forEach(World::close); // rank 0 introduces the others
  }
}
