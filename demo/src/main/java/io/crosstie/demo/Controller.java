// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.ToolException;
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
  private static final int LAST_WORDS = 30;
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
  private final List<ChildProcess> workers = new ArrayList<>();
  private final List<String> faults = new ArrayList<>();

  /** A report and who sent it. */
  private record Received(String from, Report report) {}

  /** Hears one of the processes. */
  private final class Ear implements ChildProcess.Listener {
    private final String name;

    Ear(String name) {
      this.name = name;
    }

    private void add(Report report) {
      inbox.add(new Received(name, report));
    }

    /** A JVM may have words of its own on standard output, say on a flight recording. */
    @Override
    public void onLine(String line) {
      try {
        if (Worker.LINES.decode(line) instanceof Report report) {
          add(report);
        }
      } catch (IllegalArgumentException e) {
        onError(line);
      }
    }

    @Override
    public void onError(String line) {
      if (options.verbose()) {
        add(new Report.Note("[" + name + "] " + line, false));
      }
    }

    @Override
    public void onEnd(int status) {
      add(new Report.Exited(status));
    }
  }

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
    workers.forEach(ChildProcess::close);
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
      tell(worker(SENDER), new Command.Go());
      director.run(setup.rehearsal(), plans);
      faults.addAll(director.faults());
      finish(startUs);
    } catch (ToolException e) {
      if (e.exitCode() != ToolException.RED || startUs == 0) {
        throw e; // nothing was streamed, so there is nothing to judge
      }
      faults.add(e.getMessage());
    }
    return Verdict.of(
        state, director.cuts(plans.size()), faults, startUs, options, setup.description());
  }

  private void startWorkers() {
    start(RECEIVER, setup.receiver());
    start(SENDER, setup.sender());
    if (!await(state::allActive, READY_TIMEOUT_MS)) {
      throw new ToolException(
          ToolException.RED, "not all rails became ACTIVE within 30 s: " + describeStates());
    }
  }

  private void start(String name, Command.Start start) {
    ChildProcess worker =
        ChildProcess.start(
            name,
            new ProcessBuilder(ChildProcess.java(JVM_OPTIONS, Worker.class, name)),
            new Ear(name));
    synchronized (this) {
      if (stopping) {
        worker.close();
        throw new ToolException(ToolException.RED, "interrupted");
      }
      workers.add(worker);
    }
    tell(worker, start);
    boolean[] ready = new boolean[1];
    if (!await(
        () -> ready[0] |= lastReady != null && lastReady.from().equals(name), READY_TIMEOUT_MS)) {
      throw new ToolException(ToolException.RED, "the " + name + " was not ready within 30 s");
    }
    screen.say("%s: process %d, %s".formatted(name, worker.handle().pid(), readyText()));
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
    tell(worker(SENDER), new Command.Finish());
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
    tell(worker(RECEIVER), new Command.Judge(messages, sent == null ? 0 : sent.heartbeats()));
    await(() -> state.judged() != null, 30_000);
    stopping = true; // from here on a process may end
    workers.forEach(worker -> tell(worker, new Command.Stop()));
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

  private static void tell(ChildProcess worker, Command command) {
    worker.tell(Worker.LINES.encode(command));
  }

  private ChildProcess worker(String name) {
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
        throw new ToolException(ToolException.RED, "interrupted");
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
        throw new ToolException(failed.exitCode(), received.from() + ": " + failed.message());
      }
      case Report.Exited exited -> {
        if (!stopping) {
          throw new ToolException(
              ToolException.RED,
              "the %s's process ended with status %d; its last words: %s"
                  .formatted(received.from(), exited.status(), lastWords(received.from())));
        }
      }
      default -> {}
    }
  }

  private String lastWords(String name) {
    List<String> words = worker(name).lastWords(LAST_WORDS);
    if (words.isEmpty()) {
      return "(none)";
    }
    return options.verbose() ? String.join("\n", words) : words.getLast();
  }

  @Override
  public void cut(String rail, CutPlan.Step step) {
    if (step.sender()) {
      tell(worker(SENDER), new Command.Cut(rail, step.kind(), !step.receiver()));
    }
    if (step.receiver()) {
      tell(worker(RECEIVER), new Command.Cut(rail, step.kind(), true));
    }
  }

  @Override
  public void restore(List<String> rails) {
    for (ChildProcess worker : workers) {
      tell(worker, new Command.Restore(rails));
    }
  }

  @Override
  public void say(String text) {
    screen.say(text);
  }
}
