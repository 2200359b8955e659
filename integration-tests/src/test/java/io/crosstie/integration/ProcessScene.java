// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import io.crosstie.testkit.Facility;
import io.crosstie.testkit.process.SharedSegment;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;

/** A test with processes, which are gone when it has ended. */
abstract class ProcessScene {
  /**
   * For those who count failovers where there may be none: on a busy machine a process may take
   * longer to get to one of its rails than the 50 ms after which the default gives it up.
   */
  static final String PATIENT = " downAfterMs=2000";

  /** Two rails on one host that can be told apart. */
  static final String TWO_UDP_RAILS = "rail=udp://127.0.0.1:0 rail=udp://127.0.0.2:0";

  private final List<WorkerProcess> processes = new ArrayList<>();

  @BeforeAll
  static void processesAreLookedInto() {
    Facility.LINUX.require("processes that are stopped, cut off and looked into");
  }

  @AfterEach
  final void endProcesses() {
    processes.forEach(WorkerProcess::close);
    processes.clear();
  }

  final WorkerProcess worker(String name) {
    return keep(WorkerProcess.start(name));
  }

  final WorkerProcess worker(String name, List<String> jvmOptions) {
    return keep(WorkerProcess.start(name, jvmOptions));
  }

  /** Sees to it that a process ends with the test. */
  final WorkerProcess keep(WorkerProcess process) {
    processes.add(process);
    return process;
  }

  /** Starts a node and returns the addresses of its rails. */
  static List<String> startNode(WorkerProcess worker, String settings) {
    List<String> addresses = new ArrayList<>();
    for (JsonElement address :
        worker.ask("start name=" + worker.name() + " " + settings).getAsJsonArray("addresses")) {
      addresses.add(address.getAsString());
    }
    return addresses;
  }

  /** A process with a node of the process's name. */
  final WorkerProcess node(String name, String settings) {
    WorkerProcess worker = worker(name);
    List<String> unused = startNode(worker, settings);
    return worker;
  }

  /** The n-th address of a started node. */
  static String address(WorkerProcess worker, int n) {
    return worker.ask("node").getAsJsonArray("addresses").get(n).getAsString();
  }

  /** The port number in an address. */
  static int port(String address) {
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  /** Nodes a and b: both rails work, and a stream s of messages of all sizes comes. */
  static void awaitStream(WorkerProcess a, WorkerProcess b) {
    a.awaitUp("b");
    b.awaitUp("a");
    a.awaitActiveRails("b", 2);
    b.ask("sink s peer=a");
    a.ask("source s peer=b sizes=24-20000");
    awaitReceived(b, "s", 500);
  }

  /**
   * Waits until a sink has that many messages, and holds that all of them are what they ought to
   * be.
   */
  static void awaitReceived(WorkerProcess worker, String sink, long count) {
    Await.until(
        () -> worker.number(sink, "received") >= count,
        Await.PATIENCE,
        () -> worker.name() + " received " + worker.ask("task " + sink) + worker.ask("node"));
    assertSound(worker, sink);
  }

  /** Nothing lost, repeated, out of order or damaged so far. */
  static void assertSound(WorkerProcess worker, String sink) {
    JsonObject state = worker.ask("task " + sink);
    for (String fault : List.of("duplicated", "disordered", "gaps", "corrupt")) {
      assertEquals(0, state.get(fault).getAsLong(), () -> fault + " in " + state);
    }
    assertEquals(0, state.getAsJsonArray("faults").size(), state::toString);
  }

  /** Waits until a source's messages were all accepted by the peer. */
  static void awaitAccepted(WorkerProcess worker, String source) {
    Await.until(
        () -> worker.ask("task " + source).get("allAccepted").getAsBoolean(),
        Await.PATIENCE,
        () -> worker.name() + " sent " + worker.ask("task " + source) + worker.ask("node"));
  }

  /** The segments of ports below a folder that a process has open or mapped. */
  static List<SharedSegment> segments(long pid, Path folder) throws IOException {
    try (FileChannel unused =
        FileChannel.open(SharedSegment.memory(pid), StandardOpenOption.WRITE)) {
      // may be written
    } catch (AccessDeniedException e) {
      Facility.require(false, "a system that lets a process write to its child's memory is needed");
    }
    List<String> ports;
    try (Stream<Path> entries = Files.list(folder)) {
      ports = entries.map(entry -> String.valueOf(entry.getFileName())).toList();
    }
    return SharedSegment.of(
        pid, name -> name.startsWith(folder + "/") || ports.stream().anyMatch(name::contains));
  }
}
