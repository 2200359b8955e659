// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.ranks;

import io.crosstie.testkit.process.Ports;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/** All ranks of a job in one JVM, each with a node and a thread of its own. */
final class Worlds implements AutoCloseable {
  private static final AtomicInteger JOBS = new AtomicInteger();
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<World> worlds = new ArrayList<>();

  /** What a rank does. */
  interface Body {
    void run(World world) throws Exception;
  }

  Worlds(int size, String... rails) {
    this(size, config -> config, rails);
  }

  Worlds(int size, UnaryOperator<WorldConfig> more, String... rails) {
    String introducer = "127.0.0.1:" + Ports.free();
    String key = "test-" + ProcessHandle.current().pid() + "-" + JOBS.incrementAndGet();
    boolean complete = false;
    try {
      for (int rank = 0; rank < size; rank++) {
        WorldConfig config =
            more.apply(new WorldConfig().job(rank, size, key, introducer).closeLinger(PATIENCE));
        for (String rail : rails) {
          config.rail(rail);
        }
        worlds.add(World.join(config));
      }
      complete = true;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  World get(int rank) {
    return worlds.get(rank);
  }

  /** Has all ranks do it at once, and waits for them. */
  void run(Body body) throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (World world : worlds) {
      threads.add(
          Thread.ofPlatform()
              .daemon()
              .name("rank-" + world.rank())
              .start(
                  () -> {
                    try {
                      body.run(world);
                    } catch (Throwable e) {
                      synchronized (failures) {
                        failures.add(e);
                      }
                    }
                  }));
    }
    long endNs = System.nanoTime() + PATIENCE.toNanos();
    boolean hang = false;
    for (Thread thread : threads) {
      while (thread.isAlive() && !hang) {
        boolean unused = thread.join(Duration.ofMillis(50));
        synchronized (failures) {
          hang = System.nanoTime() - endNs > 0 || !failures.isEmpty();
        }
      }
    }
    synchronized (failures) {
      if (!failures.isEmpty()) {
        throw new AssertionError(failures.getFirst());
      }
    }
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        AssertionError error = new AssertionError(thread.getName() + " hangs");
        error.setStackTrace(thread.getStackTrace());
        throw error;
      }
    }
  }

  @Override
  public void close() {
    worlds.reversed().forEach(World::close); // rank 0 introduces the others, and waits for them
  }
}
