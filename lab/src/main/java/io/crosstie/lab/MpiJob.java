// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.Namespaces;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The processes of a parallel program, and what they say: {@code at N} for how far it is, and
 * whatever else a person is to read. Ended when this is closed.
 */
final class MpiJob implements AutoCloseable {
  private static final String PROGRESS = "at ";
  private static final int MOST_LINES = 200;
  private static final Duration BETWEEN_LOOKS = Duration.ofMillis(20);

  private final List<ChildProcess> processes = new ArrayList<>();
  private final List<String> lines = new ArrayList<>();
  private final List<Integer> bad = new ArrayList<>();
  private final AtomicLong steps = new AtomicLong();
  private final CountDownLatch running;

  private MpiJob(int count) {
    running = new CountDownLatch(count);
  }

  /** Ranks by Crosstie, every second one on the other host. */
  static MpiJob ranks(TwoHosts hosts, int ranks, String folder, List<String> program) {
    MpiJob job = new MpiJob(ranks);
    boolean complete = false;
    try {
      for (int rank = 0; rank < ranks; rank++) {
        boolean here = rank % 2 == 0;
        List<String> rails = new ArrayList<>();
        rails.add("shm:" + folder + (here ? "/a" : "/b"));
        for (RailPlan rail : hosts.rails()) {
          rails.add("udp://" + (here ? rail.here() : rail.there()) + ":0");
        }
        List<String> words = new ArrayList<>(Namespaces.on(here ? hosts.a() : hosts.b()));
        words.addAll(withShare(program, ranks));
        ProcessBuilder builder = new ProcessBuilder(words);
        var environment = builder.environment();
        environment.put("CROSSTIE_RANK", Integer.toString(rank));
        environment.put("CROSSTIE_SIZE", Integer.toString(ranks));
        environment.put("CROSSTIE_JOB_KEY", hosts.a());
        environment.put("CROSSTIE_RENDEZVOUS", hosts.rails().getFirst().here() + ":" + Scene.PORT);
        environment.put("CROSSTIE_RAILS", String.join(",", rails));
        job.start("rank " + rank, builder);
      }
      complete = true;
      return job;
    } finally {
      if (!complete) {
        job.close();
      }
    }
  }

  /** Both hosts have the same processors; a JVM is told its rank's share, as by crosstie run. */
  private static List<String> withShare(List<String> program, int ranks) {
    List<String> words = new ArrayList<>(program);
    Path name = Path.of(program.getFirst()).getFileName();
    if (name != null && name.toString().equals("java")) {
      int share = Math.max(1, Runtime.getRuntime().availableProcessors() / ranks);
      words.add(1, "-XX:ActiveProcessorCount=" + share);
    }
    return words;
  }

  /** One process, which starts the others. */
  static MpiJob of(String name, List<String> words) {
    MpiJob job = new MpiJob(1);
    job.start(name, new ProcessBuilder(words));
    return job;
  }

  private void start(String name, ProcessBuilder builder) {
    processes.add(
        ChildProcess.start(
            name,
            builder,
            new ChildProcess.Listener() {
              @Override
              public void onLine(String line) {
                hear(line);
              }

              @Override
              public void onError(String line) {
                hear(name + ": " + line);
              }

              @Override
              public void onEnd(int status) {
                if (status != 0) {
                  synchronized (bad) {
                    bad.add(status);
                  }
                }
                running.countDown();
              }
            }));
  }

  private void hear(String line) {
    if (line.startsWith(PROGRESS)) {
      steps.set(Long.parseLong(line.substring(PROGRESS.length())));
      return;
    }
    synchronized (lines) {
      if (lines.size() == MOST_LINES) {
        lines.removeFirst();
      }
      lines.add(line);
    }
  }

  /** How far it has said it is. */
  long steps() {
    return steps.get();
  }

  /** What it has said besides, the last of it. */
  List<String> said() {
    synchronized (lines) {
      return List.copyOf(lines);
    }
  }

  boolean hasEnded() {
    return running.getCount() == 0;
  }

  /** Whether all have ended with 0. */
  boolean hasEndedWell() {
    synchronized (bad) {
      return hasEnded() && bad.isEmpty();
    }
  }

  /** Whether it gets that far, or ends, in time. */
  boolean awaitSteps(long count, Duration patience) {
    long endNs = System.nanoTime() + patience.toNanos();
    while (steps() < count && !hasEnded() && System.nanoTime() < endNs) {
      Scene.pass(BETWEEN_LOOKS.toNanos());
    }
    return steps() >= count || hasEnded();
  }

  /** Whether all processes end in time. */
  boolean awaitEnd(Duration patience) {
    try {
      return running.await(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  @Override
  public void close() {
    processes.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::kill);
    processes.forEach(ChildProcess::close);
  }
}
