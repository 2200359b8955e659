// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A {@link Worker}, or another program, in a process of its own, seen from the test. */
final class WorkerProcess implements AutoCloseable {
  /** What all children get: small, and quick to start. */
  static final List<String> SMALL =
      List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

  static final List<String> NATIVE = List.of("--enable-native-access=ALL-UNNAMED");

  private static final Duration PATIENCE = Await.PATIENCE;
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private final String name;
  private final Process process;
  private final PrintWriter commands;
  private final BlockingQueue<String> output = new LinkedBlockingQueue<>();
  private final List<String> errors = new ArrayList<>();
  private final List<Thread> readers;

  private WorkerProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), false);
    this.readers =
        List.of(
            Thread.ofPlatform()
                .daemon()
                .name(name + "-out")
                .start(() -> read(process.inputReader(StandardCharsets.UTF_8), false)),
            Thread.ofPlatform()
                .daemon()
                .name(name + "-err")
                .start(() -> read(process.errorReader(StandardCharsets.UTF_8), true)));
  }

  /** A worker with native access. */
  static WorkerProcess start(String name) {
    return start(name, NATIVE);
  }

  static WorkerProcess start(String name, List<String> jvmOptions) {
    List<String> options = new ArrayList<>(SMALL);
    options.addAll(jvmOptions);
    return startProgram(name, options, Worker.class.getName());
  }

  /** Any program of the test's class path. */
  static WorkerProcess startProgram(
      String name, List<String> jvmOptions, String mainClass, String... arguments) {
    return startCommand(name, List.of(), jvmOptions, mainClass, arguments);
  }

  /** The same, behind some words such as {@code ip netns exec a}. */
  static WorkerProcess startCommand(
      String name,
      List<String> prefix,
      List<String> jvmOptions,
      String mainClass,
      String... arguments) {
    List<String> words = new ArrayList<>(prefix);
    words.add(JAVA);
    words.addAll(jvmOptions);
    words.addAll(List.of("-cp", System.getProperty("java.class.path"), mainClass));
    words.addAll(List.of(arguments));
    return start(name, words, mainClass);
  }

  /** A program of that folder, without any option. */
  static WorkerProcess startProgram(String name, Path classes, String mainClass) {
    String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    return start(name, List.of(JAVA, "-cp", path, mainClass), mainClass);
  }

  /** Any command. */
  static WorkerProcess startWords(String name, List<String> words) {
    return start(name, words, name);
  }

  private static WorkerProcess start(String name, List<String> words, String what) {
    try {
      ProcessBuilder builder = new ProcessBuilder(words);
      builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
      return new WorkerProcess(name, builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot start " + what + " by " + words, e);
    }
  }

  private void read(BufferedReader from, boolean isError) {
    try (from) {
      for (String line = from.readLine(); line != null; line = from.readLine()) {
        if (isError) {
          synchronized (errors) {
            errors.add(line);
          }
        } else {
          output.add(line);
        }
      }
    } catch (IOException e) {
      // the process was killed
    }
  }

  // ------------------------------------------------------------------ talking

  /** One command and its answer; an answer that tells of an error is a failure. */
  JsonObject ask(String command) {
    JsonObject answer = askAny(command);
    if (answer.has("error")) {
      throw new AssertionError(name + " on \"" + command + "\": " + answer + "\n" + errors());
    }
    return answer;
  }

  /** A command that fails, and the message of what it throws. */
  String askForError(String command) {
    JsonObject answer = askAny(command);
    if (!answer.has("error")) {
      throw new AssertionError(name + " did \"" + command + "\" without complaint: " + answer);
    }
    return answer.get("error").getAsString();
  }

  private JsonObject askAny(String command) {
    tell(command);
    return JsonParser.parseString(readLine("\"" + command + "\"")).getAsJsonObject();
  }

  /** A command whose answer is not waited for. */
  void tell(String command) {
    commands.println(command);
    commands.flush();
  }

  /** The next line of its standard output. */
  String readLine(String afterWhat) {
    try {
      long endNs = System.nanoTime() + PATIENCE.toNanos();
      while (System.nanoTime() - endNs < 0) {
        boolean alive = process.isAlive();
        String line = output.poll(alive ? 100 : 1000, TimeUnit.MILLISECONDS);
        if (line != null) {
          return line;
        }
        if (!alive) {
          throw new AssertionError(
              name + " ended (" + process.exitValue() + ") before " + afterWhat + "\n" + errors());
        }
      }
      throw new AssertionError(name + " says nothing after " + afterWhat + "\n" + errors());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** What it has said and nobody has read. */
  String output() {
    return String.join("\n", output);
  }

  /** Its standard error so far. */
  String errors() {
    synchronized (errors) {
      return String.join("\n", errors);
    }
  }

  // ------------------------------------------------------------------ what tests often ask

  String name() {
    return name;
  }

  long pid() {
    return process.pid();
  }

  boolean isAlive() {
    return process.isAlive();
  }

  int exitValue() {
    return process.exitValue();
  }

  /** A number in a task's state. */
  long number(String task, String key) {
    return ask("task " + task).get(key).getAsLong();
  }

  /** All events of a type. */
  List<JsonObject> events(String type) {
    List<JsonObject> found = new ArrayList<>();
    for (JsonElement event : ask("events").getAsJsonArray("events")) {
      if (event.getAsJsonObject().get("type").getAsString().equals(type)) {
        found.add(event.getAsJsonObject());
      }
    }
    return found;
  }

  void awaitEvent(String type) {
    Await.until(
        () -> !events(type).isEmpty(),
        Await.PATIENCE,
        () -> name + " has no event " + type + " but " + ask("events"));
  }

  void awaitUp(String peer) {
    Await.until(
        () -> ask("peers").toString().contains("\"" + peer + "\"") && state(peer).equals("UP"),
        Await.PATIENCE,
        () -> name + " does not reach " + peer + ": " + ask("node") + "\n" + errors());
  }

  String state(String peer) {
    return ask("peer " + peer).get("state").getAsString();
  }

  /** The sum of a counter over the rails to a peer. */
  long railSum(String peer, String counter) {
    long sum = 0;
    for (JsonElement rail : rails(peer)) {
      sum += counter(rail.getAsJsonObject(), counter);
    }
    return sum;
  }

  JsonArray rails(String peer) {
    return ask("peer " + peer).getAsJsonArray("rails");
  }

  /** How many rails to a peer are ACTIVE. */
  int activeRails(String peer) {
    int count = 0;
    for (JsonElement rail : rails(peer)) {
      count += rail.getAsJsonObject().get("state").getAsString().equals("ACTIVE") ? 1 : 0;
    }
    return count;
  }

  void awaitActiveRails(String peer, int count) {
    Await.until(
        () -> activeRails(peer) == count,
        Await.PATIENCE,
        () -> name + " has other than " + count + " active rails: " + describe(peer));
  }

  /** For a failure's message. */
  String describe(String peer) {
    return ask("peer " + peer) + "\n" + ask("node") + "\n" + ask("events") + "\n" + errors();
  }

  static long counter(JsonObject holder, String counter) {
    return holder.getAsJsonObject("counters").get(counter).getAsLong();
  }

  // ------------------------------------------------------------------ signals and the end

  /** SIGKILL. */
  void kill() {
    Process unused = process.destroyForcibly();
    awaitExit();
  }

  /** SIGSTOP, SIGCONT, SIGINT and the like, by name without SIG, to this process and no other. */
  void signal(String signal) {
    try {
      Process kill =
          new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid())
              .redirectErrorStream(true)
              .start();
      if (!kill.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS) || kill.exitValue() != 0) {
        throw new AssertionError("kill -" + signal + " failed");
      }
      if (signal.equals("STOP")) {
        Await.until( // the kernel takes its time
            () -> isStopped() || !process.isAlive(), () -> name + " does not stop");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  private boolean isStopped() {
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc", Long.toString(process.pid()), "task"))) {
      for (Path thread : threads) {
        String stat = Files.readString(thread.resolve("stat"));
        if (stat.charAt(stat.lastIndexOf(')') + 2) != 'T') {
          return false;
        }
      }
      return true;
    } catch (IOException e) {
      return false; // a thread has just ended
    }
  }

  void awaitExit() {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(name + " does not end\n" + errors());
      }
      for (Thread reader : readers) {
        reader.join(PATIENCE.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted", e);
    }
  }

  /** Ends it whatever it is doing. */
  @Override
  public void close() {
    if (process.isAlive()) {
      Process unused = process.destroyForcibly();
    }
    awaitExit();
    commands.close();
  }

  @Override
  public String toString() {
    return name + Map.of("pid", process.pid(), "alive", process.isAlive());
  }
}
