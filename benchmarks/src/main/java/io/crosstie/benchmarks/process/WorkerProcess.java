// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.benchmarks.process;

import io.crosstie.testkit.process.ChildProcess;
import io.crosstie.testkit.process.ToolException;
import java.time.Duration;
import java.util.List;

/** One of a subject's two processes, as the controller has it. */
final class WorkerProcess implements AutoCloseable {
  private final ChildProcess process;

  private WorkerProcess(ChildProcess process) {
    this.process = process;
  }

  /** Starts a JVM with the flags that all subjects get. */
  static WorkerProcess start(Rail rail, String role, Build build) {
    List<String> words =
        ChildProcess.java(
            Flags.JVM, build.classPath(), Worker.class.getName(), List.of(rail.name(), role));
    try {
      return new WorkerProcess(ChildProcess.start(role, words));
    } catch (ToolException e) {
      throw new CaseException(String.valueOf(e.getMessage()), e);
    }
  }

  ProcessHandle handle() {
    return process.handle();
  }

  void send(Order order) {
    process.tell(Worker.LINES.encode(order));
  }

  /**
   * The next reply, which has to be of that kind.
   *
   * @throws CaseException if it is another, or none comes in time
   */
  <R extends Reply> R await(Class<R> kind, long timeoutNs) {
    Object reply;
    try {
      reply = Worker.LINES.decode(process.read(kind.getSimpleName(), Duration.ofNanos(timeoutNs)));
    } catch (ToolException | IllegalArgumentException e) {
      throw new CaseException(String.valueOf(e.getMessage()), e);
    }
    if (kind.isInstance(reply)) {
      return kind.cast(reply);
    }
    throw new CaseException(
        "the %s process: %s"
            .formatted(
                process.name(),
                reply instanceof Reply.Failed failed
                    ? failed.why()
                    : "it said " + reply + " instead of " + kind));
  }

  /** Closes its standard input, which ends it. */
  void end() {
    process.endInput();
  }

  /** Waits for its end; kills it if that takes too long. */
  @Override
  public void close() {
    process.close();
  }
}
