// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process on one of the hosts, as the lab has it. Not thread safe. */
final class LabProcess implements AutoCloseable {
  private static final int LAST_WORDS = 20;
  private static final long PATIENCE_S = 5;

  /**
   * Room for the objects that make a collection slow when one is asked for, and so much for young
   * ones that none happens by itself: the classes that a start loads would fill a small space half
   * a minute later, and its collection, 8 to 19 ms beside another busy process, would be in the
   * gap.
   */
  private static final List<String> JVM_OPTIONS =
      List.of("-XX:+UseSerialGC", "-Xmx5g", "-Xmn512m", "--enable-native-access=ALL-UNNAMED");

  private final String name;
  private final Process process;
  private final PrintStream commands;
  private final BufferedReader answers;
  private final Gson gson = new Gson();
  private final ArrayDeque<String> lastWords = new ArrayDeque<>();
  private final Thread errorReader;

  private LabProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.commands = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    this.answers = process.inputReader(StandardCharsets.UTF_8);
    this.errorReader = Thread.ofPlatform().daemon().name(name + "-err").start(this::readErrors);
  }

  /** Starts a JVM like this one on a host, and returns before it is ready. */
  static LabProcess start(String host, Setup setup) {
    List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", host));
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(JVM_OPTIONS);
    words.add("-cp");
    words.add(System.getProperty("java.class.path"));
    words.add(Worker.class.getName());
    String name = setup.sender() ? "sender" : "receiver";
    try {
      LabProcess process = new LabProcess(name, new ProcessBuilder(words).start());
      process.commands.println(process.gson.toJson(setup));
      return process;
    } catch (IOException e) {
      throw new LabException(
          LabException.ENVIRONMENT, "cannot start the " + name + ": " + e.getMessage(), e);
    }
  }

  private void readErrors() {
    try (BufferedReader in = process.errorReader(StandardCharsets.UTF_8)) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        synchronized (lastWords) {
          if (lastWords.size() == LAST_WORDS) {
            lastWords.removeFirst();
          }
          lastWords.addLast(line);
        }
      }
    } catch (IOException e) {
      // the process is gone
    }
  }

  /** Waits for the answer to the command before. */
  JsonObject answer() {
    try {
      String line = answers.readLine();
      if (line != null) {
        return gson.fromJson(line, JsonObject.class);
      }
      errorReader.join(1_000);
    } catch (IOException e) {
      // as if it had ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    synchronized (lastWords) {
      throw new LabException(
          LabException.RED,
          "the "
              + name
              + "'s process has failed; its last words:\n"
              + String.join("\n", lastWords));
    }
  }

  /** Tells it something and waits for the answer. */
  JsonObject ask(String command) {
    send(command);
    return answer();
  }

  /** Tells it something; {@link #answer()} is to follow. */
  void send(String command) {
    commands.println(command);
  }

  long pid() {
    return process.pid();
  }

  /** Sends it a signal, for example STOP. */
  void signal(String signal) {
    Shell.run("kill", "-" + signal, Long.toString(process.pid()));
  }

  /** Closes its standard input, which ends it, and waits; kills it if that takes too long. */
  @Override
  public void close() {
    commands.close();
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
