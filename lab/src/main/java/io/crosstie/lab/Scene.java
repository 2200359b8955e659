// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonObject;
import io.crosstie.testkit.process.ToolException;
import io.crosstie.testkit.stream.StreamVerifier;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Two hosts with a sender and a receiver running on them. Times are {@link System#nanoTime()}. */
final class Scene implements AutoCloseable {
  /** Where Crosstie listens on every rail. */
  static final int PORT = 7400;

  private static final int OTHER_PORT = 7500;

  /** How long what was sent may take to arrive after the last fault is over. */
  private static final long DRAIN_NS = 60_000_000_000L;

  private final TwoHosts hosts;
  private final boolean owner;
  private final LabProcess receiver;
  private final LabProcess sender;

  private Scene(TwoHosts hosts, boolean owner, LabProcess receiver, LabProcess sender) {
    this.hosts = hosts;
    this.owner = owner;
    this.receiver = receiver;
    this.sender = sender;
  }

  /**
   * Builds the hosts and starts both processes. The streams begin with {@link #go()}. Nothing is
   * left if that fails.
   *
   * @param seed of the content
   * @param ownThreads whether each of Crosstie's rails has a thread of its own
   */
  static Scene build(
      Subject subject,
      List<RailPlan> rails,
      List<Setup.StreamPlan> streams,
      long seed,
      boolean ownThreads) {
    return build(subject, rails, streams, seed, ownThreads, Setup.More.NOTHING);
  }

  /** The same with what few need. */
  static Scene build(
      Subject subject,
      List<RailPlan> rails,
      List<Setup.StreamPlan> streams,
      long seed,
      boolean ownThreads,
      Setup.More more) {
    TwoHosts hosts = Cleanup.keep(TwoHosts.build(rails));
    boolean built = false;
    try {
      if (subject == Subject.MPTCP) {
        hosts.enableMultipathTcp();
      }
      Scene scene = start(hosts, true, subject, PORT, streams, seed, ownThreads, more);
      built = true;
      return scene;
    } finally {
      if (!built) {
        hosts.close();
        Cleanup.forget(hosts);
      }
    }
  }

  /** Two more processes on the same hosts, which stay when these are closed. */
  Scene beside(Subject subject, List<Setup.StreamPlan> streams) {
    return start(hosts, false, subject, OTHER_PORT, streams, 2, false, Setup.More.NOTHING);
  }

  private static Scene start(
      TwoHosts hosts,
      boolean owner,
      Subject subject,
      int port,
      List<Setup.StreamPlan> streams,
      long seed,
      boolean ownThreads,
      Setup.More more) {
    List<Setup.Addresses> addresses =
        hosts.rails().stream().map(rail -> new Setup.Addresses(rail.here(), rail.there())).toList();
    List<LabProcess> started = new ArrayList<>();
    boolean built = false;
    try {
      for (boolean sends : List.of(false, true)) {
        LabProcess process =
            LabProcess.start(
                sends ? hosts.a() : hosts.b(),
                new Setup(subject, sends, addresses, port, seed, streams, ownThreads, more));
        started.add(process);
        JsonObject unused = process.answer();
      }
      built = true;
      return new Scene(hosts, owner, started.get(0), started.get(1));
    } finally {
      if (!built) {
        started.forEach(LabProcess::close);
      }
    }
  }

  TwoHosts hosts() {
    return hosts;
  }

  LabProcess sender() {
    return sender;
  }

  LabProcess receiver() {
    return receiver;
  }

  /** Begins to send. */
  void go() {
    JsonObject unused = sender.ask("go");
  }

  /**
   * Lets time go by before anything is measured, and halfway collects what the start left in either
   * process's heap, so that later collections are those of the steady state.
   */
  void warmUp(long ns) {
    pass(ns / 2);
    JsonObject unused = sender.ask("gc");
    unused = receiver.ask("gc");
    pass(ns / 2);
  }

  /** What the receiver got between two times, one stretch per stream. */
  List<Timeline.Stretch> stretches(long fromNs, long toNs) {
    JsonObject answer = receiver.ask("stretches " + fromNs + " " + toNs);
    List<Timeline.Stretch> stretches = new ArrayList<>();
    for (var each : answer.getAsJsonArray("stretches")) {
      stretches.add(new Gson().fromJson(each, Timeline.Stretch.class));
    }
    return stretches;
  }

  /** Stops sending, waits until everything has arrived, and lets the receiver judge. */
  StreamVerifier.Account finish() {
    return finish(DRAIN_NS);
  }

  /** The same where that may take so long. */
  StreamVerifier.Account finish(long drainNs) {
    JsonArray sent = sender.ask("stop").getAsJsonArray("counts");
    long end = System.nanoTime() + drainNs;
    while (!receiver.ask("counts").getAsJsonArray("counts").equals(sent)
        && System.nanoTime() < end) {
      pass(20_000_000);
    }
    StringBuilder command = new StringBuilder("judge");
    sent.forEach(count -> command.append(' ').append(count.getAsLong()));
    StreamVerifier.Account all = StreamVerifier.Account.NONE;
    for (var each : receiver.ask(command.toString()).getAsJsonArray("verdicts")) {
      all = all.plus(new Gson().fromJson(each, StreamVerifier.Account.class));
    }
    return all;
  }

  /** Lets that much time go by. */
  static void pass(long ns) {
    long end = System.nanoTime() + ns;
    for (long left = ns; left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new ToolException(ToolException.RED, "interrupted");
      }
    }
  }

  @Override
  public void close() {
    sender.close();
    receiver.close();
    if (owner) {
      hosts.close();
      Cleanup.forget(hosts);
    }
  }
}
