// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.crosstie.examples.ranks.ConjugateGradient;
import io.crosstie.examples.ranks.HeatDiffusion;
import io.crosstie.examples.ranks.LargeRing;
import io.crosstie.examples.ranks.MasterAndWorkers;
import io.crosstie.examples.ranks.SampleSort;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.PortInfo;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.ranks.World;
import io.crosstie.ranks.WorldConfig;
import io.crosstie.testkit.Facility;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The examples on four ranks in one JVM: each comes to its serial result. */
@Timeout(180)
final class RankExamplesTest {
  private static final int RANKS = 4;
  private static final String SHM = "shm:";
  private static final String[] UDP = {"udp://127.0.0.1:0", "udp://127.0.0.2:0"};

  private final List<World> worlds = new ArrayList<>();

  private void join(String key, String... rails) throws Exception {
    int port;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = socket.getLocalPort();
    }
    String job = key + "-" + ProcessHandle.current().pid();
    for (int rank = 0; rank < RANKS; rank++) {
      WorldConfig config = new WorldConfig().job(rank, RANKS, job, "127.0.0.1:" + port);
      List.of(rails).forEach(config::rail);
      worlds.add(World.join(config));
    }
  }

  private static Future<Boolean> begin(ExecutorService threads, World world, Predicate<World> run) {
    return threads.submit(
        () -> {
          boolean right = run.test(world);
          world.communicator().barrier();
          return right;
        });
  }

  /** All ranks at once; meanwhile this thread does something else. */
  private void run(Predicate<World> example, Runnable meanwhile) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(RANKS)) {
      List<Future<Boolean>> all = new ArrayList<>();
      worlds.forEach(world -> all.add(begin(threads, world, example)));
      try {
        meanwhile.run();
        for (Future<Boolean> each : all) {
          assertTrue(each.get(120, TimeUnit.SECONDS), "differs from the serial result");
        }
      } catch (Exception | AssertionError e) {
        threads.shutdownNow();
        throw e;
      } finally {
        worlds.reversed().forEach(World::close); // rank 0 introduces the others
      }
    }
  }

  private void run(Predicate<World> example) throws Exception {
    join("examples", SHM);
    run(example, () -> {});
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

  /** The first rail of each rank is cut while data is on it; nobody but the counters is told. */
  @Test
  void largeRingWhileARailIsCut() throws Exception {
    Facility.LINUX.require("sockets that are made deaf by a filter");
    join("cut", UDP);
    List<Integer> ports = new ArrayList<>();
    for (World world : worlds) {
      PortInfo first = world.node().ports().getFirst();
      ports.add(Integer.parseInt(first.address().substring(first.address().lastIndexOf(':') + 1)));
    }
    AtomicLong again = new AtomicLong();
    run(
        world -> {
          boolean right = LargeRing.isRight(world, 2 << 20, 4);
          again.addAndGet(
              sum(world, RailCounter.REINJECTED)
                  + sum(world, RailCounter.LOST_BY_TIMEOUT)
                  + sum(world, RailCounter.LOST_BY_RAIL_DOWN));
          return right;
        },
        () -> {
          World zero = worlds.getFirst();
          while (sum(zero, RailCounter.PAYLOAD_IN) < 3L << 20) {
            zero.node().idle();
          }
          for (int port : ports) {
            try {
              assertTrue(BlackHole.set(port, true) > 0);
            } catch (IOException e) {
              throw new UncheckedIOException(e);
            }
          }
        });
    assertTrue(again.get() > 0, "nothing was on its way over the rail that was cut");
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
}
