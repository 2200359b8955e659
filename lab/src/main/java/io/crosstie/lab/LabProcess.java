// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ChildProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A process on one of the hosts, as the lab has it. Not thread safe. */
final class LabProcess implements AutoCloseable {
  /** Longer than anything that it is asked for. */
  private static final Duration PATIENCE = Duration.ofMinutes(10);

  /**
   * Room for the objects that make a collection slow when one is asked for, and so much for young
   * ones that none happens by itself: the classes that a start loads would fill a small space half
   * a minute later, and its collection, 8 to 19 ms beside another busy process, would be in the
   * gap.
   */
  private static final List<String> JVM_OPTIONS =
      List.of("-XX:+UseSerialGC", "-Xmx5g", "-Xmn512m", "--enable-native-access=ALL-UNNAMED");

  private final Gson gson = new Gson();
  private final ChildProcess process;

  private LabProcess(ChildProcess process) {
    this.process = process;
  }

  /** Starts a JVM like this one on a host, and returns before it is ready. */
  static LabProcess start(String host, Setup setup) {
    List<String> words = new ArrayList<>(List.of("ip", "netns", "exec", host));
    words.addAll(ChildProcess.java(JVM_OPTIONS, Worker.class));
    String name = setup.sender() ? "sender" : "receiver";
    LabProcess process = new LabProcess(ChildProcess.start(name, words));
    process.send(process.gson.toJson(setup));
    return process;
  }

  /** Waits for the answer to the command before. */
  JsonObject answer() {
    return gson.fromJson(process.read("the command", PATIENCE), JsonObject.class);
  }

  /** Tells it something and waits for the answer. */
  JsonObject ask(String command) {
    send(command);
    return gson.fromJson(process.read(command, PATIENCE), JsonObject.class);
  }

  /** Tells it something; {@link #answer()} is to follow. */
  void send(String command) {
    process.tell(command);
  }

  long pid() {
    return process.handle().pid();
  }

  /** Sends it a signal, for example STOP. */
  void signal(String signal) {
    process.signal(signal);
  }

  /** Closes its standard input, which ends it, and waits; kills it if that takes too long. */
  @Override
  public void close() {
    process.close();
  }
}
