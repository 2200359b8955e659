// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NodeEvent;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailState;
import io.crosstie.testkit.process.RecordLines;
import io.crosstie.testkit.process.ToolException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One of the demo's two processes: a node of Crosstie that sends or receives the stream, and the
 * saboteur beside it. Standard input brings commands and, by its end, the order to go away;
 * standard output takes reports.
 */
public final class Worker {
  /** The lines between the controller and its processes. */
  static final RecordLines LINES =
      new RecordLines("the demo's processes", Command.class, Report.class);

  private static final int CHANNEL = 7;
  private static final int HEARTBEATS = 8;
  private static final Duration UP_TIMEOUT = Duration.ofSeconds(60);
  private static final long SAMPLE_MS = 10;
  private static final int SAMPLES_PER_STATUS = 20;
  private static final long LAST_RESORT_MS = 4_000;

  private final PrintStream out;
  private final Command.Start start;
  private final Node node;
  private final Peer peer;
  private final StreamData data;
  private final Heartbeats heartbeats;
  private final Saboteur saboteur;
  private final RailSampler sampler;
  private final ScheduledThreadPoolExecutor ticks;
  private volatile @Nullable StreamTask task;
  private @Nullable Thread streamThread;
  private int samples;
  private boolean closed;

  private Worker(Command.Start start, PrintStream out) {
    this.start = start;
    this.out = out;
    this.saboteur = new Saboteur(start.rails());
    this.node = Node.start(config(start));
    this.peer = node.peer(start.peer());
    this.data =
        start.data().isEmpty()
            ? StreamData.generated(start.dataSeed())
            : StreamData.file(Path.of(start.data()));
    this.heartbeats = new Heartbeats(peer.channel(HEARTBEATS), start.sender());
    this.sampler = new RailSampler(start.rails(), this::report);
    this.ticks =
        new ScheduledThreadPoolExecutor(
            1, work -> Thread.ofPlatform().daemon().name("demo-sampler").unstarted(work));
  }

  private static NodeConfig config(Command.Start start) {
    NodeConfigBuilder builder =
        NodeConfig.builder()
            .name(start.node())
            .maxMessageBytes(MessageSizes.MAX)
            .largePoolBytes(4L * MessageSizes.MAX)
            .progress(Progress.thread())
            .reinjection(start.reinjection())
            .shutdownHook(false); // the worker has an order of its own
    start.rails().forEach(rail -> builder.rail(rail.uri()));
    if (start.seed().isEmpty()) {
      builder.peer(start.peer());
    } else {
      builder.peer(start.peer(), start.seed());
    }
    if (start.scheduler() != null) {
      builder.scheduler(start.scheduler());
    }
    return builder.build();
  }

  /** Entry of the process; the controller starts it. */
  public static void main(String[] args) {
    PrintStream reports = System.out;
    System.setOut(System.err); // whatever else writes there shall not come between
    int status = ToolException.RED;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      if (LINES.read(in) instanceof Command.Start start) {
        Worker worker = new Worker(start, reports);
        Runtime.getRuntime().addShutdownHook(new Thread(worker::close, "demo-cleanup"));
        worker.serve(in);
        status = 0;
      }
    } catch (IOException | RuntimeException | Error e) {
      fail(reports, e);
    }
    System.exit(status);
  }

  private static void fail(PrintStream reports, Throwable e) {
    StringWriter trace = new StringWriter();
    e.printStackTrace(new PrintWriter(trace));
    int code =
        e instanceof ToolException demo
            ? demo.exitCode()
            : e instanceof CrosstieException ? ToolException.ENVIRONMENT : ToolException.RED;
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    if (!(e instanceof ToolException) && !(e instanceof CrosstieException)) {
      message = e.getClass().getSimpleName() + ": " + message;
    }
    LINES.write(reports, new Report.Failed(code, message, trace.toString()));
  }

  private void serve(BufferedReader in) throws IOException {
    if (start.sender()) {
      peer.awaitUp(UP_TIMEOUT);
    }
    task = start.sender() ? sender() : receiver();
    var unused = ticks.scheduleWithFixedDelay(this::tick, 0, SAMPLE_MS, TimeUnit.MILLISECONDS);
    if (!start.sender()) {
      runTask();
    }
    report(new Report.Ready("rails " + node.config().rails()));
    for (Object line = LINES.read(in); line != null; line = LINES.read(in)) {
      switch (line) {
        case Command.Go go -> runTask();
        case Command.Cut cut -> cut(cut);
        case Command.Restore restore -> restore(restore);
        case Command.Finish finish -> task().finish();
        case Command.Judge judge -> judge(judge);
        case Command.Stop stop -> {
          return;
        }
        default -> throw new IllegalArgumentException("not a command: " + line);
      }
    }
  }

  private StreamTask task() {
    StreamTask running = task;
    if (running == null) {
      throw new IllegalStateException("nothing runs");
    }
    return running;
  }

  private StreamTask sender() {
    StreamSender[] self = new StreamSender[1];
    self[0] =
        new StreamSender(
            node,
            peer.channel(CHANNEL),
            new MessageComposer(data),
            new MessageSizes(start.dataSeed()),
            () -> sent(self[0]));
    return self[0];
  }

  private StreamTask receiver() {
    return new StreamReceiver(
        node, peer.channel(CHANNEL), data, () -> report(new Report.Received(DemoClock.nowUs())));
  }

  private void sent(StreamSender sender) {
    heartbeats.finish();
    while (!heartbeats.isAllAccepted() && node.isOpen()) {
      LockSupport.parkNanos(SAMPLE_MS * 100_000);
    }
    reportStatus(); // the counters, after the last transmission
    report(
        new Report.Sent(DemoClock.nowUs(), sender.messages(), sender.bytes(), heartbeats.sent()));
  }

  private void runTask() {
    heartbeats.start();
    streamThread =
        Thread.ofPlatform()
            .daemon()
            .name("demo-stream")
            .start(
                () -> {
                  try {
                    task().run();
                  } catch (RuntimeException | Error e) {
                    fail(out, e);
                  }
                });
  }

  private void cut(Command.Cut cut) throws IOException {
    String done = saboteur.cut(cut.rail(), cut.kind(), cut.files());
    report(new Report.CutMade(DemoClock.nowUs(), cut.rail(), cut.rail() + ": " + done));
  }

  private void restore(Command.Restore restore) throws IOException {
    for (String rail : restore.rails()) {
      saboteur.restore(rail);
    }
    report(new Report.Restored(DemoClock.nowUs()));
  }

  private void judge(Command.Judge judge) {
    reportStatus();
    report(
        new Report.Judged(
            task().account(judge.messages()), heartbeats.account(judge.heartbeats())));
  }

  private synchronized void tick() {
    try {
      node.pollEvents(this::onEvent);
      sampler.sample(peer.rails(), DemoClock.nowUs());
      if (samples++ % SAMPLES_PER_STATUS == 0) {
        reportStatus();
      }
    } catch (RuntimeException | Error e) {
      if (!closed) {
        fail(out, e);
      }
    }
  }

  private void onEvent(NodeEvent event) {
    report(
        switch (event) {
          case NodeEvent.RailChanged change ->
              new Report.Note(
                  "%s: %s, was %s: %s"
                      .formatted(
                          sampler.nameOf(change.rail(), peer.rails()),
                          change.to(),
                          change.from(),
                          change.cause()),
                  change.to() == RailState.SUSPECT
                      || (change.from() == RailState.SUSPECT && change.to() == RailState.ACTIVE));
          case NodeEvent.SelfPaused pause ->
              new Report.Note("did not run for %d ms".formatted(pause.pauseNs() / 1_000_000), true);
          case NodeEvent.PortChanged port ->
              new Report.Note(
                  "port %s %s: %s"
                      .formatted(port.port(), port.open() ? "open" : "closed", port.cause()),
                  true);
          case NodeEvent.RailDeclined declined -> new Report.Note(declined.toString(), true);
          default -> new Report.Note(event.toString(), false);
        });
  }

  private synchronized void reportStatus() {
    StreamTask running = task();
    sampler.sample(peer.rails(), DemoClock.nowUs());
    report(
        new Report.Status(
            DemoClock.nowUs(),
            running.messages(),
            running.bytes(),
            sampler.statuses(),
            heartbeats.drainPauses()));
  }

  private void report(Report report) {
    LINES.write(out, report);
  }

  /** The controller does it, too, unless it was killed. */
  private void deleteFolders() {
    for (RailSpec rail : start.rails()) {
      if (!rail.isUdp()) {
        try {
          Files.deleteIfExists(Path.of(rail.folder()));
        } catch (IOException e) {
          // the other process still has files there, and will do it
        }
      }
    }
  }

  /** Lifts cuts, closes the node, and leaves no file behind. In the end the process is halted. */
  private void close() {
    Thread.ofPlatform()
        .daemon()
        .name("demo-last-resort")
        .start(
            () -> {
              LockSupport.parkNanos(LAST_RESORT_MS * 1_000_000);
              Runtime.getRuntime().halt(ToolException.RED);
            });
    synchronized (this) {
      closed = true;
    }
    ticks.shutdownNow();
    try {
      saboteur.close();
    } catch (IOException e) {
      System.err.println(
          String.format(Locale.ROOT, "the %s could not lift its cuts: %s", start.node(), e));
    }
    StreamTask running = task;
    if (running != null) {
      running.stop();
      heartbeats.stop();
    }
    node.close();
    deleteFolders();
    try {
      if (streamThread != null) {
        streamThread.join(1_000);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
