// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.demo.WorkerProcess.Received;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The failover demo's controller: starts the sender's and the receiver's process, has rails cut and
 * brought back while the stream runs, and shows it. It carries no byte of the stream itself.
 */
final class Controller implements CutDirector.Stage {
  private static final String SENDER = "sender";
  private static final String RECEIVER = "receiver";
  private static final long READY_TIMEOUT_MS = 30_000;
  private static final long STALL_MS = 20_000;
  private static final long LAST_CHANCE_MS = 8_000;

  private static final List<String> JVM_OPTIONS =
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "-Xms64m",
          "-Xmx256m",
          "-XX:+UseSerialGC",
          "-XX:-UsePerfData");

  private final DemoOptions options;
  private final DemoSetup setup;
  private final Screen screen;
  private final RunState state;
  private final LinkedBlockingQueue<Received> inbox = new LinkedBlockingQueue<>();
  private final List<WorkerProcess> workers = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();
  private @Nullable Received lastReady;
  private boolean stopping;

  Controller(DemoOptions options, DemoSetup setup, Screen screen) {
    this.options = options;
    this.setup = setup;
    this.screen = screen;
    this.state = new RunState(setup.railNames());
  }

  /** Runs the demo; no process and no file of it is left after. */
  Verdict run() {
    Thread hook = Thread.ofPlatform().name("demo-cleanup").unstarted(this::clean);
    Runtime.getRuntime().addShutdownHook(hook); // Ctrl-C
    try {
      return runAll();
    } finally {
      clean();
      try {
        Runtime.getRuntime().removeShutdownHook(hook);
      } catch (IllegalStateException e) {
        // the hook runs already
      }
    }
  }

  private synchronized void clean() {
    stopping = true;
    workers.forEach(WorkerProcess::close);
    workers.clear();
    setup.close();
  }

  private Verdict runAll() {
    CutDirector director = new CutDirector(this);
    List<CutPlan> plans = setup.plans();
    long startUs = 0;
    try {
      startWorkers();
      startUs = DemoClock.nowUs();
      worker(SENDER).send(new Command.Go());
      director.run(plans);
      faults.addAll(director.faults());
      finish(startUs);
    } catch (DemoException e) {
      if (e.exitCode() != DemoException.RED || startUs == 0) {
        throw e; // nothing was streamed, so there is nothing to judge
      }
      faults.add(e.getMessage());
    }
    return Verdict.of(
        state, director.results(), plans.size(), faults, startUs, options, setup.description());
  }

  private void startWorkers() {
    start(RECEIVER, setup.receiver());
    start(SENDER, setup.sender());
    if (!await(state::allActive, READY_TIMEOUT_MS)) {
      throw new DemoException(
          DemoException.RED, "not all rails became ACTIVE within 30 s: " + describeStates());
    }
  }

  private void start(String name, Command.Start start) {
    WorkerProcess worker =
        WorkerProcess.start(
            name,
            JVM_OPTIONS,
            inbox,
            line -> {
              if (options.verbose()) {
                inbox.add(new Received(name, new Report.Note(line, false)));
              }
            });
    synchronized (this) {
      if (stopping) {
        worker.close();
        throw new DemoException(DemoException.RED, "interrupted");
      }
      workers.add(worker);
    }
    worker.send(start);
    boolean[] ready = new boolean[1];
    if (!await(
        () -> ready[0] |= lastReady != null && lastReady.from().equals(name), READY_TIMEOUT_MS)) {
      throw new DemoException(DemoException.RED, "the " + name + " was not ready within 30 s");
    }
    screen.say("%s: process %d, %s".formatted(name, worker.pid(), readyText()));
  }

  private String readyText() {
    return lastReady != null && lastReady.report() instanceof Report.Ready ready
        ? ready.text()
        : "";
  }

  private String describeStates() {
    List<String> texts = new ArrayList<>();
    state.rails().forEach(rail -> texts.add(rail + " " + state.senderState(rail)));
    return String.join(", ", texts);
  }

  /** Lets the stream reach its least length, ends it, and asks for the judgement. */
  private void finish(long startUs) {
    if (faults.isEmpty()) {
      boolean reached =
          awaitProgress(
              () ->
                  state.bytesOffered() >= options.size()
                      && DemoClock.nowUs() - startUs >= options.seconds() * 1_000_000L);
      if (!reached) {
        faults.add("the stream stood still for 20 s with all rails back: " + describeStates());
      }
    }
    screen.say("ending the stream");
    worker(SENDER).send(new Command.Finish());
    CutDirector.Condition complete = () -> state.sent() != null && state.receivedAtUs() > 0;
    boolean ended = faults.isEmpty() ? awaitProgress(complete) : await(complete, LAST_CHANCE_MS);
    Report.Sent sent = state.sent();
    if (!ended) {
      faults.add(
          sent == null
              ? "the sender did not get everything accepted"
              : "the last message was not delivered");
    }
    Report.Status offered = state.sender();
    long messages = sent != null ? sent.messages() : offered == null ? 0 : offered.messages();
    worker(RECEIVER).send(new Command.Judge(messages));
    await(() -> state.result() != null, 5_000);
    stopping = true; // from here on a process may end
    workers.forEach(worker -> worker.send(new Command.Stop()));
  }

  /** Waits for as long as something is delivered now and then. */
  private boolean awaitProgress(CutDirector.Condition condition) {
    while (true) {
      long before = state.bytesDelivered();
      if (await(() -> condition.holds() || state.bytesDelivered() > before, STALL_MS)) {
        if (condition.holds()) {
          return true;
        }
      } else {
        return false;
      }
    }
  }

  private WorkerProcess worker(String name) {
    return workers.stream().filter(worker -> worker.name().equals(name)).findFirst().orElseThrow();
  }

  @Override
  public RunState state() {
    return state;
  }

  @Override
  public boolean await(CutDirector.Condition condition, long timeoutMs) {
    long deadline = System.nanoTime() + timeoutMs * 1_000_000L;
    while (!condition.holds()) {
      long leftNs = deadline - System.nanoTime();
      if (leftNs <= 0) {
        return false;
      }
      try {
        take(inbox.poll(Math.min(leftNs, 50_000_000L), TimeUnit.NANOSECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new DemoException(DemoException.RED, "interrupted");
      }
      screen.refresh(state);
    }
    return true;
  }

  private void take(@Nullable Received received) {
    if (received == null) {
      return;
    }
    state.take(received.from().equals(SENDER), received.report());
    switch (received.report()) {
      case Report.Ready ready -> lastReady = received;
      case Report.Note note -> {
        if (options.verbose() || !note.minor()) {
          screen.note(received.from(), note);
        }
      }
      case Report.CutMade made -> screen.say("  " + received.from() + ": " + made.text());
      case Report.Failed failed -> {
        if (options.verbose()) {
          screen.say(failed.trace());
        }
        throw new DemoException(failed.exitCode(), received.from() + ": " + failed.message());
      }
      case Report.Exited exited -> {
        if (!stopping) {
          throw new DemoException(
              DemoException.RED,
              "the %s's process ended with status %d; its last words: %s"
                  .formatted(received.from(), exited.status(), lastWords(exited)));
        }
      }
      default -> {}
    }
  }

  private String lastWords(Report.Exited exited) {
    List<String> words = exited.lastWords();
    if (words.isEmpty()) {
      return "(none)";
    }
    return options.verbose() ? String.join("\n", words) : words.getLast();
  }

  @Override
  public void cut(String rail, CutPlan.Step step) {
    if (step.sender()) {
      worker(SENDER).send(new Command.Cut(rail, step.kind(), !step.receiver()));
    }
    if (step.receiver()) {
      worker(RECEIVER).send(new Command.Cut(rail, step.kind(), true));
    }
  }

  @Override
  public void restore(List<String> rails) {
    for (WorkerProcess worker : workers) {
      worker.send(new Command.Restore(rails));
    }
  }

  @Override
  public void say(String text) {
    screen.say(text);
  }
}
