// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo;

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
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One of the two processes, as the controller has it. */
final class WorkerProcess implements AutoCloseable {
  private static final int LAST_WORDS = 30;
  private static final long PATIENCE_S = 5;

  private final String name;
  private final Process process;
  private final PrintStream commands;
  private final BlockingQueue<Received> inbox;
  private final ArrayDeque<String> lastWords = new ArrayDeque<>();
  private final Thread errorReader;
  private final Thread reportReader;

  /** A report and who sent it. */
  record Received(String from, Report report) {}

  private WorkerProcess(
      String name, Process process, BlockingQueue<Received> inbox, Consumer<String> errors) {
    this.name = name;
    this.process = process;
    this.inbox = inbox;
    this.commands = new PrintStream(process.getOutputStream(), false, StandardCharsets.UTF_8);
    errorReader = Thread.ofPlatform().daemon().name(name + "-err").start(() -> readErrors(errors));
    reportReader = Thread.ofPlatform().daemon().name(name + "-out").start(this::readReports);
  }

  /**
   * Starts a JVM like this one.
   *
   * @param errors gets what it writes to its standard error
   */
  static WorkerProcess start(
      String name,
      List<String> jvmOptions,
      BlockingQueue<Received> inbox,
      Consumer<String> errors) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(jvmOptions);
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.add(Worker.class.getName());
    words.add(name);
    try {
      return new WorkerProcess(name, new ProcessBuilder(words).start(), inbox, errors);
    } catch (IOException e) {
      throw new DemoException(
          DemoException.ENVIRONMENT,
          "cannot start the " + name + "'s process: " + e.getMessage(),
          e);
    }
  }

  private void readReports() {
    try (BufferedReader in = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        take(line);
      }
    } catch (IOException e) {
      say("(its reports cannot be read: " + e.getMessage() + ")");
    }
    int status = -1;
    try {
      errorReader.join(1_000);
      status = process.waitFor(PATIENCE_S, TimeUnit.SECONDS) ? process.exitValue() : -1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    inbox.add(new Received(name, new Report.Exited(status, lastWords())));
  }

  /** A JVM may have words of its own on standard output, say on a flight recording. */
  private void take(String line) {
    try {
      if (Lines.decode(line) instanceof Report report) {
        inbox.add(new Received(name, report));
      }
    } catch (IllegalArgumentException e) {
      say(line);
    }
  }

  private void readErrors(Consumer<String> errors) {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getErrorStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        say(line);
        errors.accept("[" + name + "] " + line);
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

  private List<String> lastWords() {
    synchronized (lastWords) {
      return List.copyOf(lastWords);
    }
  }

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  /** Tells it something; if it is gone the inbox will say so. */
  void send(Command command) {
    Lines.write(commands, command);
  }

  /** Closes its standard input, which ends it, and waits; kills it if that takes too long. */
  @Override
  public void close() {
    commands.close();
    try {
      if (!process.waitFor(PATIENCE_S, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      reportReader.join(1_000);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
