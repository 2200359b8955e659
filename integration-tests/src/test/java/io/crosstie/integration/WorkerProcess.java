// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.crosstie.testkit.process.ChildProcess;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A {@link Worker}, or another program, in a process of its own, seen from the test. */
final class WorkerProcess implements AutoCloseable {
  /** What all children get: small, and quick to start. */
  static final List<String> SMALL = List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:-UsePerfData");

  /** None runs for long enough to be worth the second one. */
  private static final String FIRST_COMPILER = "-XX:TieredStopAtLevel=1";

  static final List<String> NATIVE = List.of("--enable-native-access=ALL-UNNAMED");

  private static final Duration PATIENCE = Await.PATIENCE;

  private final ChildProcess process;

  private WorkerProcess(ChildProcess process) {
    this.process = process;
  }

  /** A worker with native access. */
  static WorkerProcess start(String name) {
    return start(name, WorkerCache.classPath(), WorkerCache.options());
  }

  /** With native access, the classes of that path, and options for the cache of classes. */
  static WorkerProcess start(String name, String classPath, List<String> cache) {
    List<String> options = new ArrayList<>(SMALL);
    options.addAll(NATIVE);
    options.add(FIRST_COMPILER);
    options.addAll(cache);
    return startWords(
        name, ChildProcess.java(options, classPath, Worker.class.getName(), List.of()));
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
    String path = System.getProperty("java.class.path");
    List<String> options = new ArrayList<>(jvmOptions);
    options.add(FIRST_COMPILER);
    words.addAll(ChildProcess.java(options, path, mainClass, List.of(arguments)));
    return startWords(name, words);
  }

  /** A program of that folder, without any option. */
  static WorkerProcess startProgram(String name, Path classes, String mainClass) {
    String path = classes + File.pathSeparator + System.getProperty("java.class.path");
    return startWords(name, ChildProcess.java(List.of(), path, mainClass, List.of()));
  }

  /** Any command. */
  static WorkerProcess startWords(String name, List<String> words) {
    ProcessBuilder builder = new ProcessBuilder(words);
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS"));
    return new WorkerProcess(ChildProcess.start(name, builder, null));
  }

  // ------------------------------------------------------------------ talking

  /** One command and its answer; an answer that tells of an error is a failure. */
  JsonObject ask(String command) {
    JsonObject answer = askAny(command);
    if (answer.has("error")) {
      throw new AssertionError(name() + " on \"" + command + "\": " + answer + "\n" + errors());
    }
    return answer;
  }

  /** A command that fails, and the message of what it throws. */
  String askForError(String command) {
    JsonObject answer = askAny(command);
    if (!answer.has("error")) {
      throw new AssertionError(name() + " did \"" + command + "\" without complaint: " + answer);
    }
    return answer.get("error").getAsString();
  }

  private JsonObject askAny(String command) {
    tell(command);
    return JsonParser.parseString(readLine("\"" + command + "\"")).getAsJsonObject();
  }

  /** A command whose answer is not waited for. */
  void tell(String command) {
    process.tell(command);
  }

  /** The next line of its standard output. */
  String readLine(String afterWhat) {
    return process.read(afterWhat, PATIENCE);
  }

  /** What it has said and nobody has read. */
  String output() {
    return process.unread();
  }

  /** Its standard error so far. */
  String errors() {
    return String.join("\n", process.lastWords(Integer.MAX_VALUE));
  }

  // ------------------------------------------------------------------ what tests often ask

  String name() {
    return process.name();
  }

  long pid() {
    return process.handle().pid();
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
        () -> name() + " has no event " + type + " but " + ask("events"));
  }

  void awaitUp(String peer) {
    Await.until(
        () -> ask("peers").toString().contains("\"" + peer + "\"") && state(peer).equals("UP"),
        Await.PATIENCE,
        () -> name() + " does not reach " + peer + ": " + ask("node") + "\n" + errors());
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
        () -> name() + " has other than " + count + " active rails: " + describe(peer));
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
    process.kill();
    awaitExit();
  }

  /** SIGSTOP, SIGCONT, SIGINT and the like, by name without SIG, to this process and no other. */
  void signal(String signal) {
    process.signal(signal);
  }

  void awaitExit() {
    if (!process.awaitExit(PATIENCE)) {
      throw new AssertionError(name() + " does not end\n" + errors());
    }
  }

  /** Ends it whatever it is doing. */
  @Override
  public void close() {
    kill();
    process.endInput();
  }

  @Override
  public String toString() {
    return process.toString();
  }
}
