// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.DatagramHandler;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NotificationHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.Region;
import io.crosstie.messaging.RegionCompletion;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
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
  private static final long MOST_REGION_BYTES = 64L << 20;

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
    private final Node node;
    private final Peer peer;
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
    private long expectedSinceNs;
    private long sendEndNs;
    private boolean echoes;
    private boolean isAboutDatagrams;
    private boolean over;

    // of puts
    private final RegionCompletion returned = this::onReturned;
    private @Nullable Region region;
    private @Nullable RemoteRegion back;

    Session(Node node, Peer peer) {
      this.node = node;
      this.peer = peer;
      control = peer.channel(Control.CHANNEL);
      data = peer.channel(Control.DATA_CHANNEL);
    }

    /** Whether the client has gone; then its region goes, too. */
    boolean isOver() {
      if (control.status() == 0) {
        return false;
      }
      closeRegion();
      return true;
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
      if (expected >= 0
          && (arrivals.messages() >= expected
              || (isAboutDatagrams && arrivals.isOver(expectedSinceNs)))) {
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
      if (order.kind() != Control.REPORT) {
        echoes = order.kind() == Control.ECHO || order.kind() == Control.ECHO_DATAGRAMS;
        isAboutDatagrams =
            order.kind() == Control.ECHO_DATAGRAMS || order.kind() == Control.COUNT_DATAGRAMS;
      }
      switch ((int) order.kind()) {
        case (int) Control.ECHO,
            (int) Control.COUNT,
            (int) Control.ECHO_DATAGRAMS,
            (int) Control.COUNT_DATAGRAMS -> {
          arrivals.reset();
          answer = new Control(Control.READY);
        }
        case (int) Control.EXPORT -> {
          arrivals.reset();
          back = order.b() == 0 ? null : control.peer().region(order.b());
          answer = new Control(Control.READY, export(order.a()), 0, 0);
        }
        case (int) Control.SEND -> {
          sending = order;
          sender = new DataSender(data, Math.toIntExact(order.a()));
          sendEndNs = System.nanoTime() + order.c();
        }
        case (int) Control.REPORT -> {
          expected = order.a();
          expectedSinceNs = System.nanoTime();
        }
        case (int) Control.BYE -> over = true;
        default -> throw new PerfException("client " + control.peer() + " wants the unknown");
      }
      return MessageHandler.Action.CONTINUE;
    }

    /** A region instead of the one before; its key, or 0 if it would be too large. */
    private long export(long bytes) {
      closeRegion();
      if (bytes < 1 || bytes > MOST_REGION_BYTES) {
        return 0;
      }
      MemorySegment memory = Arena.ofAuto().allocate(bytes, 64);
      Region open = node.export(memory, EnumSet.allOf(Region.Right.class), control.peer());
      region = open;
      return open.key();
    }

    void closeRegion() {
      if (region != null) {
        region.close();
        region = null;
      }
    }

    /** A put has come; it goes back from where it lies. */
    void onPut(MemorySegment notification, long offset, long at, long count) {
      arrivals.onPut(count);
      arrivals.notePoll();
      RemoteRegion to = back;
      Region from = region;
      if (to != null && from != null) {
        byte[] bytes = {notification.get(ValueLayout.JAVA_BYTE, offset)};
        if (to.put(from.memory(), at, count, at, bytes, returned) <= 0) {
          throw new PerfException("a put found no room on its way back to " + control.peer());
        }
      }
    }

    private void onReturned(Peer peer, RegionStatus status, @Nullable String error) {
      over |= status != RegionStatus.DONE; // the client has gone
    }

    /** A datagram came; what there is no room for is lost, as elsewhere on the way. */
    void onDatagram(MemorySegment segment, long offset, int length) {
      if (echoes) {
        long unused = peer.datagram(segment, offset, length);
      } else {
        arrivals.onMessage(segment, offset, length, 0);
      }
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
  private final NotificationHandler onNotification = this::onNotification;
  private final DatagramHandler onDatagram = this::onDatagram;

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
        sessions.put(peer.incarnation(), new Session(node, peer));
        out.println("client " + peer.name());
        out.flush();
      }
    }
    int work = 0;
    boolean hasRegions = false; // a poll costs the others time
    boolean hasDatagrams = false;
    for (Session session : sessions.values()) {
      work += session.over ? 0 : session.work();
      hasRegions |= session.region != null;
      hasDatagrams |= session.isAboutDatagrams;
    }
    work += hasRegions ? node.pollRegions(onNotification, POLL_LIMIT) : 0;
    return hasDatagrams ? work + pollDatagrams(node) : work;
  }

  private int pollDatagrams(Node node) {
    int got = node.pollDatagrams(onDatagram, POLL_LIMIT);
    for (Session session : sessions.values()) {
      if (got > 0 && session.isAboutDatagrams && !session.echoes) {
        session.arrivals.notePoll();
      }
    }
    return got;
  }

  private void onNotification(
      Region region, Peer peer, MemorySegment bytes, long offset, int length, long at, long count) {
    Session session = sessions.get(peer.incarnation());
    if (session != null) {
      session.onPut(bytes, offset, at, count);
    }
  }

  private void onDatagram(
      Peer peer, MemorySegment segment, int headerLength, long offset, int length) {
    Session session = sessions.get(peer.incarnation());
    if (session != null) {
      session.onDatagram(segment, offset, length);
    }
  }

  /** Forgets clients whose connection is over; returns how many. */
  private int forget() {
    int before = sessions.size();
    sessions.values().removeIf(Session::isOver);
    return before - sessions.size();
  }
}
