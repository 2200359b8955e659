// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.testkit.process.SharedSegment;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** The two processes of one subject, for one round of one bench. */
final class WorkerPair implements AutoCloseable {
  private static final long PATIENCE_NS = 45_000_000_000L;

  private final WorkerProcess far;
  private final WorkerProcess near;

  /** Of this build. */
  WorkerPair(Rail rail) {
    this(rail, new Build(System.getProperty("java.class.path")));
  }

  WorkerPair(Rail rail, Build build) {
    far = WorkerProcess.start(rail, "far", build);
    near = WorkerProcess.start(rail, "near", build);
  }

  /**
   * Measures one case.
   *
   * @throws CaseException if that fails; the pair is of no use then
   */
  Measured measure(CaseSpec spec) {
    far.send(new Order.Open(spec));
    near.send(new Order.Open(spec));
    String farAddress = far.await(Reply.Opened.class, PATIENCE_NS).address();
    String nearAddress = near.await(Reply.Opened.class, PATIENCE_NS).address();
    double beforeNs = Bounce.around(spec); // both wait for their next order
    far.send(new Order.Connect(nearAddress));
    near.send(new Order.Connect(farAddress));
    far.await(Reply.Ready.class, PATIENCE_NS);
    near.await(Reply.Ready.class, PATIENCE_NS);
    ForeignLoad load = ForeignLoad.since(List.of(near.handle(), far.handle()));
    begin(far);
    begin(near);
    boolean both = spec.bench().measuresBothEnds();
    CompilerTime.awaitQuiet(List.of(near.handle(), far.handle()), spec.warmUpNs());
    near.send(new Order.Measure());
    far.send(new Order.Measure());
    long limitNs = PATIENCE_NS + spec.measureNs();
    if (spec.bench() == Bench.LOSS) {
      spoilSegments(far.handle(), spec.measureNs() / 2);
    }
    if (both || spec.bench().measuresNear()) {
      near.await(Reply.Measured.class, limitNs);
    }
    if (both || !spec.bench().measuresNear()) {
      far.await(Reply.Measured.class, limitNs);
    }
    double foreignLoad = load.processors();
    near.send(new Order.Stop());
    Tally nearTally = near.await(Reply.Stopped.class, PATIENCE_NS).tally();
    far.send(new Order.Stop()); // not sooner: what is under way wants to be received
    Tally farTally = far.await(Reply.Stopped.class, PATIENCE_NS).tally();
    double afterNs = Bounce.around(spec); // likewise
    near.send(new Order.Close());
    far.send(new Order.Close());
    if (spec.bench() == Bench.LOSS && !nearTally.note().startsWith("rails lost")) {
      throw new CaseException("the segment was spoiled, and yet no rail was lost");
    }
    return new Measured(nearTally, farTally, foreignLoad, beforeNs, afterNs);
  }

  /** Makes all of a process's segments useless: truncates files, fills the rest with ones. */
  private static void spoilSegments(ProcessHandle process, long afterNs) {
    long dueNs = System.nanoTime() + afterNs;
    for (long leftNs = afterNs; leftNs > 0; leftNs = dueNs - System.nanoTime()) {
      LockSupport.parkNanos(leftNs);
    }
    try {
      List<SharedSegment> segments =
          SharedSegment.of(process.pid(), name -> name.contains("crosstie-"));
      for (SharedSegment segment : segments) {
        if (segment.sealed()) {
          segment.overwrite(0, bytes -> Arrays.fill(bytes, (byte) -1));
        } else {
          segment.truncate(0);
        }
      }
      if (segments.isEmpty()) {
        throw new CaseException("there is no segment to spoil");
      }
    } catch (IOException e) {
      throw new CaseException("a segment cannot be spoiled: " + e.getMessage(), e);
    }
  }

  private static void begin(WorkerProcess worker) {
    worker.send(new Order.Run());
    worker.await(Reply.Running.class, PATIENCE_NS);
  }

  @Override
  public void close() {
    far.end();
    near.close();
    far.close();
  }
}
