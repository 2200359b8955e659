// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.perf;

import com.google.gson.Gson;
import io.crosstie.messaging.AtomicCompletion;
import io.crosstie.messaging.Channel;
import io.crosstie.messaging.DatagramHandler;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.NotificationHandler;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.Region;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import io.crosstie.messaging.Status;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The side that asks: runs the tests one after the other and prints what came of them. */
public final class PerfClient {
  private static final Duration CONNECT = Duration.ofSeconds(15);
  private static final long PATIENCE_NS = 40_000_000_000L;
  private static final long LIVE_NS = 1_000_000_000L;

  /** A datagram that has not come back by then does not come. */
  private static final long LOST_NS = 3_000_000_000L;

  private static final int WARM_UP_S = 3;
  private static final int POLL_LIMIT = 64;
  private static final int POLLS_PER_CLOCK = 64;
  private static final long MAX_NS = 60_000_000_000L;
  private static final long MB = 1_000_000;
  private static final Gson GSON = new Gson();

  /**
   * What it is started with.
   *
   * @param seeds where the server is
   * @param rails its own rails
   * @param progress how it waits
   * @param tests what to measure
   * @param size of messages in bytes for latency
   * @param streamSize of messages in bytes for streams
   * @param rateSize of messages in bytes for the message rate
   * @param count messages of each test; 0 to go by time
   * @param seconds of each test, after three to warm up
   * @param checksum name of the payload's checksum
   * @param accelerator whether an accelerator that is there is used
   * @param json where results go as JSON lines, or null
   * @param histogram where the round trips' distribution goes, or null
   */
  public record Settings(
      List<String> seeds,
      List<String> rails,
      Progress progress,
      List<PerfTest> tests,
      int size,
      int streamSize,
      int rateSize,
      long count,
      int seconds,
      String checksum,
      boolean accelerator,
      @Nullable Path json,
      @Nullable Path histogram) {}

  private final Settings settings;
  private final PrintStream out;
  private final PrintStream live;
  private final Node node;
  private final Peer server;
  private final Channel control;
  private final Channel data;
  private final Arrivals arrivals = new Arrivals();
  private final MessageHandler onControl = this::onControl;
  private final MessageHandler onData = arrivals::onMessage;
  private final NotificationHandler onNotification =
      (region, peer, bytes, offset, length, at, count) -> arrivals.onPut(count);
  private boolean pollsRegions;
  private boolean pollsDatagrams;
  private final DatagramHandler onDatagram =
      (peer, segment, headerLength, offset, length) ->
          arrivals.onMessage(segment, offset, length, 0);
  private @Nullable Control answer;
  private long liveNs = System.nanoTime();

  private PerfClient(Settings settings, PrintStream out, PrintStream live, Node node) {
    this.settings = settings;
    this.out = out;
    this.live = live;
    this.node = node;
    server = node.peer(PerfServer.NAME);
    server.awaitUp(CONNECT);
    control = server.channel(Control.CHANNEL);
    data = server.channel(Control.DATA_CHANNEL);
  }

  /**
   * How the node that measures is configured.
   *
   * @throws io.crosstie.messaging.CrosstieException if a rail or an address is not well-formed
   */
  public static NodeConfig config(Settings settings) {
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name("crosstie-perf-client-" + ProcessHandle.current().pid())
            .progress(settings.progress())
            .checksum(settings.checksum())
            .accelerator(settings.accelerator())
            .peer(PerfServer.NAME, settings.seeds().toArray(String[]::new));
    settings.rails().forEach(config::rail);
    return config.build();
  }

  /**
   * Measures.
   *
   * @param node configured by {@link #config}
   * @param out for the table
   * @param live for a line a second while it goes on
   * @throws PerfException if the connection is lost
   */
  public static void run(Node node, Settings settings, PrintStream out, PrintStream live)
      throws IOException {
    new PerfClient(settings, out, live, node).run();
  }

  private void run() throws IOException {
    out.printf(
        "%-13s %10s %12s %12s %12s %12s %12s %14s%n",
        "test", "bytes", "MB/s", "p50 us", "p99 us", "p99.9 us", "max us", "messages/s");
    List<PerfResult> results = new ArrayList<>();
    for (PerfTest test : settings.tests()) {
      PerfResult result =
          switch (test) {
            case LATENCY -> latency(settings.size());
            case OUT -> outward(PerfTest.OUT, settings.streamSize());
            case RATE -> outward(PerfTest.RATE, settings.rateSize());
            case IN -> inward(settings.streamSize());
            case PUT -> puts(settings.streamSize());
            case NOTIFY -> notifications(settings.size());
            case GET -> gets(settings.streamSize());
            case ATOMIC -> atomics();
            case DATAGRAM -> datagrams(settings.size());
            case DATAGRAM_RATE -> datagramRate(settings.rateSize());
          };
      results.add(result);
      print(result);
    }
    sendControl(new Control(Control.BYE));
    rails();
    save(results);
  }

  // ------------------------------------------------------------------ tests

  private PerfResult latency(int size) {
    sendControl(new Control(Control.ECHO));
    Control unused = await(Control.READY);
    arrivals.reset();
    DataSender sender = new DataSender(data, size);
    return trips(
        PerfTest.LATENCY,
        size,
        () -> {
          long target = arrivals.messages() + 1;
          send(sender);
          until(() -> arrivals.messages() >= target);
          return true;
        });
  }

  /** Round trips, one at a time; one of which the trip says that it was none is not counted. */
  private PerfResult trips(PerfTest test, int size, BooleanSupplier trip) {
    Histogram histogram = new Histogram(MAX_NS, 3);
    Budget budget = new Budget();
    Supplier<String> text =
        () -> test.label() + ": p50 " + micros(histogram.getValueAtPercentile(50)) + " us";
    while (budget.goesOn(histogram.getTotalCount(), histogram::reset)) {
      long beginNs = System.nanoTime();
      if (trip.getAsBoolean()) {
        histogram.recordValue(Math.clamp(System.nanoTime() - beginNs, 0, MAX_NS));
      }
      showLive(text);
    }
    return new PerfResult(test, size, histogram.getTotalCount(), budget.elapsedNs(), histogram);
  }

  private PerfResult outward(PerfTest test, int size) {
    DataSender sender = new DataSender(data, size);
    Budget budget = new Budget();
    sendControl(new Control(Control.COUNT));
    Control unused = await(Control.READY);
    Supplier<String> text = // once, for it refers to what is here
        () -> test.label() + ": " + sender.sent() * (long) size / MB + " MB sent";
    while (budget.goesOn(sender.sent(), () -> {})) {
      int sent = 0;
      while (sent < DataSender.PER_TURN && sender.trySend()) {
        sent++;
      }
      node.idle(sent + poll());
      showLive(text);
    }
    sendControl(new Control(Control.REPORT, sender.sent(), 0, 0));
    Control result = await(Control.RESULT);
    return new PerfResult(test, size, result.a(), result.c(), null);
  }

  /** As {@link #latency}; a trip of which either way is lost is not counted. */
  private PerfResult datagrams(int size) {
    sendControl(new Control(Control.ECHO_DATAGRAMS));
    Control unused = await(Control.READY);
    arrivals.reset();
    pollsDatagrams = true; // the other tests do without that poll
    MemorySegment datagram = Arena.ofAuto().allocate(Math.max(1, size), 64);
    PerfResult result =
        trips(
            PerfTest.DATAGRAM,
            size,
            () -> {
              long beginNs = System.nanoTime();
              long target = arrivals.messages() + 1;
              until(() -> isTaken(server.datagram(datagram, 0, size)));
              until(() -> arrivals.messages() >= target || System.nanoTime() - beginNs > LOST_NS);
              return arrivals.messages() >= target;
            });
    pollsDatagrams = false;
    return result;
  }

  private PerfResult datagramRate(int size) {
    sendControl(new Control(Control.COUNT_DATAGRAMS));
    Control unused = await(Control.READY);
    MemorySegment datagram = Arena.ofAuto().allocate(Math.max(1, size), 64);
    long[] sent = new long[1];
    Budget budget = new Budget();
    Supplier<String> text = () -> "datagram-rate: " + sent[0] + " sent";
    while (budget.goesOn(sent[0], () -> {})) {
      int taken = 0;
      while (taken < DataSender.PER_TURN && isTaken(server.datagram(datagram, 0, size))) {
        taken++;
      }
      sent[0] += taken;
      node.idle(taken + poll());
      showLive(text);
    }
    sendControl(new Control(Control.REPORT, sent[0], 0, 0));
    Control result = await(Control.RESULT);
    return new PerfResult(PerfTest.DATAGRAM_RATE, size, result.a(), result.c(), null);
  }

  private static boolean isTaken(long result) {
    if (result < 0 && result != Status.BACK_PRESSURED && result != Status.CONNECTING) {
      throw new PerfException("nothing is taken: " + Status.name(result));
    }
    return result > 0;
  }

  private PerfResult inward(int size) {
    arrivals.reset();
    long forNs = (settings.seconds() + WARM_UP_S) * LIVE_NS;
    sendControl(new Control(Control.SEND, size, settings.count(), forNs));
    Control result = await(Control.RESULT);
    until(() -> arrivals.messages() >= result.a());
    return new PerfResult(PerfTest.IN, size, arrivals.timedMessages(), arrivals.elapsedNs(), null);
  }

  private PerfResult puts(int size) {
    PutSender sender = new PutSender(remoteRegion(PutSender.regionBytes(size), 0), size);
    Budget budget = new Budget();
    Supplier<String> text = () -> "put: " + sender.sent() * (long) size / MB + " MB put";
    while (budget.goesOn(sender.sent(), () -> {})) {
      int sent = 0;
      while (sent < DataSender.PER_TURN && sender.trySend()) {
        sent++;
      }
      node.idle(sent + poll());
      showLive(text);
    }
    sendControl(new Control(Control.REPORT, sender.sent(), 0, 0));
    Control result = await(Control.RESULT);
    pollsRegions = false;
    return new PerfResult(PerfTest.PUT, size, result.a(), result.c(), null);
  }

  private PerfResult notifications(int size) {
    MemorySegment back = Arena.ofAuto().allocate(PutSender.regionBytes(size), 64);
    Peer server = control.peer();
    try (Region region = node.export(back, Set.of(Region.Right.PUT), server)) {
      PutSender sender = new PutSender(remoteRegion(back.byteSize(), region.key()), size);
      PerfResult result =
          trips(
              PerfTest.NOTIFY,
              size,
              () -> {
                long target = arrivals.messages() + 1;
                until(sender::trySend);
                until(() -> arrivals.messages() >= target);
                return true;
              });
      pollsRegions = false;
      return result;
    }
  }

  private PerfResult gets(int size) {
    GetSender sender = new GetSender(remoteRegion(PutSender.regionBytes(size), 0), size);
    Budget budget = new Budget();
    Supplier<String> text = () -> "get: " + sender.done() * size / MB + " MB got";
    while (budget.goesOn(sender.done(), sender::restart)) {
      int asked = 0;
      while (asked < DataSender.PER_TURN && sender.tryGet()) {
        asked++;
      }
      node.idle(asked + poll());
      showLive(text);
    }
    PerfResult result = new PerfResult(PerfTest.GET, size, sender.done(), budget.elapsedNs(), null);
    until(sender::isIdle);
    pollsRegions = false;
    return result;
  }

  /** Round trips of fetch-and-add on one word, which has to come to as many as there were. */
  private PerfResult atomics() {
    RemoteRegion region = remoteRegion(Long.BYTES, 0);
    long[] added = new long[1];
    AtomicCompletion completed =
        (peer, status, before, error) -> {
          if (status != RegionStatus.DONE || before != added[0]) {
            throw new PerfException(
                "an addition failed: " + status + ", " + before + " before, " + error);
          }
          added[0]++;
        };
    PerfResult result =
        trips(
            PerfTest.ATOMIC,
            Long.BYTES,
            () -> {
              long target = added[0] + 1;
              until(() -> isTaken(region.fetchAdd(0, 1, completed)));
              until(() -> added[0] >= target);
              return true;
            });
    pollsRegions = false;
    return result;
  }

  /** Has the server export a region, and send puts back to that of this key if it is not 0. */
  private RemoteRegion remoteRegion(long bytes, long backTo) {
    arrivals.reset();
    pollsRegions = true;
    sendControl(new Control(Control.EXPORT, bytes, backTo, 0));
    long key = await(Control.READY).a();
    if (key == 0) {
      throw new PerfException("the server has no room for a region of " + bytes + " bytes");
    }
    return control.peer().region(key);
  }

  /**
   * How long a test goes on: a number of messages, or three seconds to warm up and then its time.
   */
  private final class Budget {
    private final long beginNs = System.nanoTime();
    private long fromNs = beginNs;
    private boolean warm = settings.count() > 0;

    boolean goesOn(long messages, Runnable atWarm) {
      if (settings.count() > 0) {
        return messages < settings.count();
      }
      long nowNs = System.nanoTime();
      if (!warm && nowNs - beginNs >= WARM_UP_S * LIVE_NS) {
        warm = true;
        fromNs = nowNs;
        atWarm.run();
      }
      return !warm || nowNs - fromNs < settings.seconds() * LIVE_NS;
    }

    long elapsedNs() {
      return Math.max(1, System.nanoTime() - fromNs);
    }
  }

  // ------------------------------------------------------------------ talking

  private void sendControl(Control order) {
    until(() -> order.offer(control));
  }

  private Control await(long kind) {
    answer = null;
    until(() -> answer != null);
    Control got = answer;
    if (got == null || got.kind() != kind) {
      throw new PerfException("the server answered " + got);
    }
    return got;
  }

  private void send(DataSender sender) {
    until(sender::trySend);
  }

  private int poll() {
    int got = data.poll(onData, POLL_LIMIT);
    if (pollsDatagrams) {
      got += node.pollDatagrams(onDatagram, POLL_LIMIT);
    }
    if (got > 0) {
      arrivals.notePoll();
    }
    if (pollsRegions) {
      got += node.pollRegions(onNotification, POLL_LIMIT);
    }
    return got + control.poll(onControl, 1);
  }

  /** Moves everything on until something holds. */
  private void until(BooleanSupplier condition) {
    long startNs = 0;
    for (int polls = 1; !condition.getAsBoolean(); polls++) {
      int work = poll();
      node.idle(work);
      if (polls % POLLS_PER_CLOCK != 0) {
        continue;
      }
      long nowNs = System.nanoTime();
      startNs = startNs == 0 || work > 0 ? nowNs : startNs;
      if (control.status() != 0 || nowNs - startNs > PATIENCE_NS) {
        throw new PerfException("the server is gone or silent, channel status " + control.status());
      }
    }
  }

  private MessageHandler.Action onControl(
      MemorySegment segment, long offset, long length, long sequence) {
    answer = Control.read(segment, offset, length);
    return MessageHandler.Action.CONTINUE;
  }

  // ------------------------------------------------------------------ telling

  /** A line a second for whoever watches. */
  private void showLive(Supplier<String> text) {
    long nowNs = System.nanoTime();
    if (nowNs - liveNs >= LIVE_NS) {
      liveNs = nowNs;
      live.println(text.get());
    }
  }

  private static String micros(long nanos) {
    return String.format(Locale.ROOT, "%.1f", nanos / 1e3);
  }

  private void print(PerfResult result) {
    Histogram histogram = result.histogram();
    out.printf(
        "%-13s %10d %12s %12s %12s %12s %12s %14.0f%s%n",
        result.test().label(),
        result.size(),
        histogram != null ? "" : String.format(Locale.ROOT, "%.1f", result.megabytesPerSecond()),
        percentile(histogram, 50),
        percentile(histogram, 99),
        percentile(histogram, 99.9),
        percentile(histogram, 100),
        result.messagesPerSecond(),
        isUnpaced() ? "  unpaced" : "");
    out.flush();
  }

  private static String percentile(@Nullable Histogram histogram, double percent) {
    return histogram == null ? "" : micros(histogram.getValueAtPercentile(percent));
  }

  /** Whether some rail neither paces nor looks for congestion, as over loopback. */
  private boolean isUnpaced() {
    return node.peer(PerfServer.NAME).rails().stream()
        .anyMatch(rail -> rail.counters().get(RailCounter.UNPACED) != 0);
  }

  /** Which way it went. */
  private void rails() {
    for (RailInfo rail : node.peer(PerfServer.NAME).rails()) {
      out.printf(
          "rail %s (%s, %s%s): %d packets out, %d packets in, %d bytes sent again%n",
          rail.name(),
          rail.kind(),
          rail.state(),
          rail.counters().get(RailCounter.UNPACED) != 0 ? ", unpaced: one host" : "",
          rail.counters().get(RailCounter.PACKETS_OUT),
          rail.counters().get(RailCounter.PACKETS_IN),
          rail.counters().get(RailCounter.PAYLOAD_AGAIN_OUT));
    }
  }

  private void save(List<PerfResult> results) throws IOException {
    Path json = settings.json();
    Path distribution = settings.histogram();
    StringBuilder lines = new StringBuilder();
    for (PerfResult result : results) {
      Map<String, Object> fields = result.fields();
      fields.put("paced", !isUnpaced());
      lines.append(GSON.toJson(fields)).append('\n');
      Histogram histogram = result.histogram();
      if (distribution != null && histogram != null) {
        try (PrintStream file =
            new PrintStream(Files.newOutputStream(distribution), false, StandardCharsets.UTF_8)) {
          histogram.outputPercentileDistribution(file, 1.0);
        }
        distribution = null; // the others' are no distribution of this one
      }
    }
    if (json != null) {
      Files.writeString(json, lines);
    }
  }
}
