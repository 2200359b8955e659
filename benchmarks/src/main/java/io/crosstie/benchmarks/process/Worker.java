// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.Link;
import io.crosstie.benchmarks.link.LinkSpec;
import io.crosstie.testkit.process.RecordLines;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * One of a subject's two processes. Measures what it is told, one case after the other, each with a
 * link of its own; ends with its standard input. One thread reads orders, one does all the rest.
 */
public final class Worker {
  /** The lines between controller and workers. */
  static final RecordLines LINES =
      new RecordLines("the benchmark's processes", Order.class, Reply.class);

  private static final long READY_NS = 30_000_000_000L;
  private static final Object END = new Object();

  private final Rail rail;
  private final boolean near;
  private final PrintStream out;
  private final BlockingQueue<Object> orders = new LinkedBlockingQueue<>();
  private final Flag counts = new Flag();
  private final Flag stop = new Flag();

  Worker(Rail rail, boolean near, PrintStream out) {
    this.rail = rail;
    this.near = near;
    this.out = out;
  }

  /** Program: rail and role are its words. What others print goes to standard error. */
  public static void main(String[] args) throws InterruptedException {
    PrintStream out =
        new PrintStream(new FileOutputStream(FileDescriptor.out), false, StandardCharsets.UTF_8);
    System.setOut(System.err);
    Worker worker = new Worker(Rail.valueOf(args[0]), args[1].equals("near"), out);
    Thread.ofPlatform().daemon().name("orders").start(() -> worker.readOrders(System.in));
    worker.work();
    System.exit(0);
  }

  /** Takes orders until there are no more: then the controller has ended, whatever it ended of. */
  void readOrders(InputStream from) {
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(from, StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        Object order = LINES.decode(line);
        if (order instanceof Order.Measure) {
          counts.raise(); // nobody waits for it
          continue;
        }
        if (order instanceof Order.Stop) {
          stop.raise();
        }
        orders.add(order);
      }
    } catch (IOException e) {
      System.err.println("orders cannot be read: " + e);
    }
    stop.raise();
    orders.add(END);
  }

  private void say(Reply reply) {
    LINES.write(out, reply);
  }

  /** The next order; the end stays, so that whoever asks after it is told as well. */
  private Object next() throws InterruptedException {
    Object order = orders.take();
    if (order.equals(END)) {
      orders.add(END);
    }
    return order;
  }

  /** Carries out orders until there are no more. */
  void work() throws InterruptedException {
    for (Object order = next(); !order.equals(END); order = next()) {
      if (order instanceof Order.Open open) {
        counts.lower();
        stop.lower();
        try {
          run(open.spec());
        } catch (RuntimeException | LinkageError e) {
          e.printStackTrace();
          String message = e.getMessage();
          say(new Reply.Failed(message == null ? e.toString() : message));
          return; // what is left of it would spoil the next case
        }
      }
    }
  }

  private void run(CaseSpec spec) throws InterruptedException {
    Subject subject = Subjects.named(rail, spec.subject());
    if (!(subject.carrier() instanceof Subject.Jvm jvm)) {
      throw new IllegalArgumentException(spec.subject() + " has programs of its own");
    }
    try (Arena arena = Arena.ofShared()) {
      LinkSpec linkSpec =
          new LinkSpec(
              near,
              spec.size(),
              arena.allocate((long) LinkSpec.slots(spec.size()) * spec.size(), 4096));
      try (Link link = jvm.links().open(linkSpec)) {
        say(new Reply.Opened(link.address()));
        if (!(next() instanceof Order.Connect connect)) {
          return;
        }
        link.connect(connect.peer());
        if (!awaitRun(link, spec)) {
          return;
        }
        say(new Reply.Running());
        Runnable measured = () -> say(new Reply.Measured());
        Tally tally =
            new Measurement(spec, linkSpec, subject.reliable(), link, counts, stop, measured).run();
        Object stopped = next();
        say(new Reply.Stopped(tally));
        if (!stopped.equals(END)) {
          Object unused = next(); // the order to close
        }
      }
    }
  }

  /** Keeps the link alive until both ends are connected and told to begin. */
  private boolean awaitRun(Link link, CaseSpec spec) throws InterruptedException {
    long startNs = System.nanoTime();
    boolean ready = false;
    while (orders.isEmpty()) {
      if (link.isReady() && !ready) {
        ready = true;
        say(new Reply.Ready());
      }
      if (!ready && System.nanoTime() - startNs > READY_NS) {
        throw new IllegalStateException(spec.subject() + " did not connect within 30 s");
      }
    }
    return next() instanceof Order.Run;
  }
}
