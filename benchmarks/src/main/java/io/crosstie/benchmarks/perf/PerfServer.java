// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import java.io.PrintStream;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The side that answers: sends back, counts, or sends, as each client asks. One thread. */
public final class PerfServer {
  /** The node's name, which clients call. */
  static final String NAME = "crosstie-perf-server";

  private static final int POLL_LIMIT = 64;

  /**
   * What it is started with.
   *
   * @param rails its rails
   * @param progress how it waits
   * @param accelerator whether an accelerator that is there is used
   * @param once whether it ends after its first client
   */
  public record Settings(
      List<String> rails, Progress progress, boolean accelerator, boolean once) {}

  /** One client. */
  private static final class Session {
    private final Channel control;
    private final Channel data;
    private final Arrivals arrivals = new Arrivals();
    private final MessageHandler onControl = this::onControl;
    private final MessageHandler echo = this::echo;
    private final MessageHandler count = arrivals::onMessage;
    private @Nullable Control answer;
    private @Nullable Control sending;
    private @Nullable DataSender sender;
    private long expected = -1;
    private long sendEndNs;
    private boolean echoes;
    private boolean over;

    Session(Peer peer) {
      control = peer.channel(Control.CHANNEL);
      data = peer.channel(Control.DATA_CHANNEL);
    }

    /** One turn; returns the work done. */
    int work() {
      if (answer != null && answer.offer(control)) {
        answer = null;
      }
      int work = control.poll(onControl, 1);
      int got = data.poll(echoes ? echo : count, POLL_LIMIT);
      if (got > 0 && !echoes) {
        arrivals.notePoll();
      }
      if (expected >= 0 && arrivals.messages() >= expected) {
        expected = -1;
        answer =
            new Control(
                Control.RESULT,
                arrivals.timedMessages(),
                arrivals.timedBytes(),
                arrivals.elapsedNs());
      }
      return work + got + send();
    }

    private int send() {
      Control order = sending;
      DataSender by = sender;
      if (order == null || by == null) {
        return 0;
      }
      int count = 0;
      while (count < DataSender.PER_TURN && mayGoOn(order, by) && by.trySend()) {
        count++;
      }
      if (!mayGoOn(order, by)) {
        sending = null;
        answer = new Control(Control.RESULT, by.sent(), 0, 0);
      }
      return count;
    }

    private boolean mayGoOn(Control order, DataSender by) {
      return order.b() > 0 ? by.sent() < order.b() : System.nanoTime() < sendEndNs;
    }

    private MessageHandler.Action onControl(
        MemorySegment segment, long offset, long length, long sequence) {
      if (answer != null) {
        return MessageHandler.Action.RETRY_LATER; // one after the other
      }
      Control order = Control.read(segment, offset, length);
      echoes = order.kind() == Control.ECHO;
      switch ((int) order.kind()) {
        case (int) Control.ECHO, (int) Control.COUNT -> {
          arrivals.reset();
          answer = new Control(Control.READY);
        }
        case (int) Control.SEND -> {
          sending = order;
          sender = new DataSender(data, Math.toIntExact(order.a()));
          sendEndNs = System.nanoTime() + order.c();
        }
        case (int) Control.REPORT -> expected = order.a();
        case (int) Control.BYE -> over = true;
        default -> throw new PerfException("client " + control.peer() + " wants the unknown");
      }
      return MessageHandler.Action.CONTINUE;
    }

    private MessageHandler.Action echo(
        MemorySegment segment, long offset, long length, long sequence) {
      return data.offer(segment, offset, length) > 0
          ? MessageHandler.Action.CONTINUE
          : MessageHandler.Action.RETRY_LATER;
    }
  }

  private final Settings settings;
  private final PrintStream out;
  private final Map<Long, Session> sessions = new HashMap<>();

  private PerfServer(Settings settings, PrintStream out) {
    this.settings = settings;
    this.out = out;
  }

  /** Serves until the process is ended, or the first client has finished. */
  public static void run(Settings settings, PrintStream out) {
    new PerfServer(settings, out).run();
  }

  private void run() {
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name(NAME)
            .progress(settings.progress())
            .accelerator(settings.accelerator())
            .maxMessageBytes(1L << 30);
    settings.rails().forEach(config::rail);
    try (Node node = Node.start(config.build())) {
      node.localAddresses().forEach(address -> out.println("serving at " + address.text()));
      out.println("on the other host:");
      out.println("  ./crosstie perf client " + clientWords(node));
      out.flush();
      boolean goesOn = true;
      int finished = 0;
      while (goesOn) {
        node.idle(work(node));
        finished += forget();
        goesOn = finished == 0 || !settings.once();
      }
    }
  }

  /** The seeds, and the rails that reach them where the client's own default does not. */
  private static String clientWords(Node node) {
    List<String> seeds = node.localAddresses().stream().map(NodeAddress::text).toList();
    boolean sharesMemory = seeds.stream().anyMatch(seed -> seed.startsWith("shm:"));
    return seeds.stream().filter(seed -> !seed.startsWith("shm:")).collect(Collectors.joining(" "))
        + (sharesMemory ? " --rail shm: --rail udp://0.0.0.0:0" : "");
  }

  private int work(Node node) {
    for (Peer peer : node.peers()) {
      if (peer.isUp() && !sessions.containsKey(peer.incarnation())) {
        sessions.put(peer.incarnation(), new Session(peer));
        out.println("client " + peer.name());
        out.flush();
      }
    }
    int work = 0;
    for (Session session : sessions.values()) {
      work += session.over ? 0 : session.work();
    }
    return work;
  }

  /** Forgets clients whose connection is over; returns how many. */
  private int forget() {
    int before = sessions.size();
    sessions.values().removeIf(session -> session.control.status() != 0);
    return before - sessions.size();
  }
}
