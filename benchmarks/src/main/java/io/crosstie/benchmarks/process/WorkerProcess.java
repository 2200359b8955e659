// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** One of a subject's two processes, as the controller has it. */
final class WorkerProcess implements AutoCloseable {
  private static final int LAST_WORDS = 8;
  private static final long PATIENCE_S = 5;

  private final String role;
  private final Process process;
  private final PrintStream orders;
  private final BlockingQueue<Reply> replies = new LinkedBlockingQueue<>();
  private final ArrayDeque<String> lastWords = new ArrayDeque<>();
  private final Thread errorReader;

  private WorkerProcess(String role, Process process) {
    this.role = role;
    this.process = process;
    orders = new PrintStream(process.getOutputStream(), false, StandardCharsets.UTF_8);
    errorReader = Thread.ofPlatform().daemon().name(role + "-err").start(this::readErrors);
    Thread.ofPlatform().daemon().name(role + "-out").start(this::readReplies);
  }

  /** Starts a JVM with the flags that all subjects get. */
  static WorkerProcess start(Rail rail, String role, Build build) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(Flags.JVM);
    words.add("-cp");
    words.add(build.classPath());
    words.add(Worker.class.getName());
    words.add(rail.name());
    words.add(role);
    try {
      return new WorkerProcess(role, new ProcessBuilder(words).start());
    } catch (IOException e) {
      throw new CaseException("cannot start a process: " + e.getMessage(), e);
    }
  }

  private void readReplies() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (Lines.decode(line) instanceof Reply reply) {
          replies.add(reply);
        }
      }
    } catch (IOException | IllegalArgumentException e) {
      say("(its replies cannot be read: " + e.getMessage() + ")");
    }
    int status = -1;
    try {
      errorReader.join(1_000);
      status = process.waitFor(PATIENCE_S, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    replies.add(new Reply.Gone(status, lastWords()));
  }

  private void readErrors() {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        say(line);
      }
    } catch (IOException e) {
      say("(its standard error cannot be read: " + e.getMessage() + ")");
    }
  }

  private void say(String line) {
    synchronized (lastWords) {
      if (lastWords.size() == LAST_WORDS) {
        lastWords.removeFirst();
      }
      lastWords.addLast(line);
    }
  }

  private String lastWords() {
    synchronized (lastWords) {
      return String.join(" / ", lastWords);
    }
  }

  ProcessHandle handle() {
    return process.toHandle();
  }

  void send(Order order) {
    orders.println(Lines.encode(order));
    orders.flush();
  }

  /**
   * The next reply, which has to be of that kind.
   *
   * @throws CaseException if it is another, or none comes in time
   */
  <R extends Reply> R await(Class<R> kind, long timeoutNs) {
    Reply reply;
    try {
      reply = replies.poll(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CaseException("interrupted", e);
    }
    if (kind.isInstance(reply)) {
      return kind.cast(reply);
    }
    throw new CaseException(
        switch (reply) {
          case null ->
              "the " + role + " process said nothing for " + timeoutNs / 1_000_000_000 + " s";
          case Reply.Failed failed -> "the " + role + " process: " + failed.why();
          case Reply.Gone gone ->
              "the "
                  + role
                  + " process ended with status "
                  + gone.status()
                  + (gone.lastWords().isEmpty() ? "" : ": " + gone.lastWords());
          default -> "the " + role + " process said " + reply + " instead of " + kind;
        });
  }

  /** Closes its standard input, which ends it. */
  void end() {
    orders.close();
  }

  /** Waits for its end; kills it if that takes too long. */
  @Override
  public void close() {
    end();
    try {
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
