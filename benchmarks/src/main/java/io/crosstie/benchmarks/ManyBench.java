// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.ChannelHandler;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What many channels, connections and known peers cost: {@code crosstie bench many}. All nodes are
 * driven by one thread, so that a round trip is what both ends do for it, wherever the processors
 * are. One poll serves all channels of a node.
 */
public final class ManyBench {
  private static final long SLICE_NS = 100_000_000;
  private static final long WARM_UP_NS = 2_000_000_000L;

  /** What is idle for longer has given its memory back. */
  private static final long IDLE_NS = 2_500_000_000L;

  private static final long PATIENCE_NS = 60_000_000_000L;

  /** Empty polls, round trips on one, and on each in turn. */
  private static final int ROWS = 3;

  private static final int PER_LOOK = 64;
  private static final int POLL_LIMIT = 64;
  private static final int BYTES = 8;
  private static final int PAGE_BYTES = 4096;
  private static final double MOST = 1.2;
  private static final double KIB = 1024;

  private final int rounds;
  private final PrintStream out;

  private ManyBench(int rounds, PrintStream out) {
    this.rounds = rounds;
    this.out = out;
  }

  /**
   * Measures, and prints a table for each kind.
   *
   * @param rounds in which the numbers take turns; each figure is the median of as many
   */
  public static void run(int rounds, PrintStream out) {
    new ManyBench(rounds, out).run();
  }

  private void run() {
    Environment.lines(List.of()).forEach(out::println);
    measure("channels of one connection, shm", Channels::new, 1, 100, 10_000);
    measure("connections of one node, udp", Connections::new, 1, 1000);
    measure("known peers without a connection", KnownPeers::new, 1, 10_000);
  }

  private void measure(String what, IntFunction<Scene> maker, int... counts) {
    out.printf("%n%s%n", what);
    out.printf(
        "%8s %15s %15s %15s %23s%n",
        "number", "empty poll", "round trip", "each in turn", "heap, resident of each");
    List<Scene> scenes = new ArrayList<>();
    List<String> memory = new ArrayList<>();
    try {
      for (int count : counts) {
        Scene scene = maker.apply(count);
        scenes.add(scene);
        double heap = heapBytes();
        double resident = residentBytes();
        scene.open();
        scene.keepFor(IDLE_NS);
        memory.add(
            String.format(
                Locale.ROOT,
                "%.1f KiB, %.1f KiB",
                (heapBytes() - heap) / KIB / count / scene.ends(),
                (residentBytes() - resident) / KIB / count / scene.ends()));
      }
      print(scenes, memory);
    } finally {
      scenes.forEach(Scene::close);
    }
  }

  private void print(List<Scene> scenes, List<String> memory) {
    double[][][] figures = new double[scenes.size()][ROWS][rounds];
    for (int row = 0; row < ROWS; row++) { // each by itself: the last leaves all in use for long
      for (int round = -1; round < rounds; round++) {
        for (int i = 0; i < scenes.size(); i++) {
          double ns = time(scenes.get(i), row, round < 0 ? WARM_UP_NS : SLICE_NS);
          if (round >= 0) {
            figures[i][row][round] = ns;
          }
          scenes.forEach(Scene::keep);
        }
      }
    }
    for (int i = 0; i < scenes.size(); i++) {
      StringBuilder line =
          new StringBuilder(String.format(Locale.ROOT, "%8d", scenes.get(i).count()));
      for (int row = 0; row < ROWS; row++) {
        double ns = median(figures[i][row]);
        double ratio = ns / median(figures[0][row]);
        String verdict = ratio > MOST ? "!" : " ";
        line.append(
            ns == 0
                ? " ".repeat(16)
                : String.format(Locale.ROOT, "%7.0f ns %4.2f%s", ns, ratio, verdict));
      }
      out.printf("%s %23s%n", line, memory.get(i));
    }
    out.printf("Ratios are to the first line; ! is above %.1f.%n", MOST);
    out.flush();
  }

  private static double time(Scene scene, int row, long forNs) {
    IntUnaryOperator work =
        switch (row) {
          case 0 -> unused -> scene.emptyPoll();
          case 1 -> unused -> scene.roundTrip(0);
          default -> i -> scene.roundTrip(i % scene.count());
        };
    if (row > 0 && scene.ends() == 1) {
      return 0; // nobody is there
    }
    long beginNs = System.nanoTime();
    long nowNs;
    int done = 0;
    do {
      for (int i = 0; i < PER_LOOK; i++, done++) {
        int unused = work.applyAsInt(done);
      }
      nowNs = System.nanoTime();
    } while (nowNs - beginNs < forNs);
    return (double) (nowNs - beginNs) / done;
  }

  static double median(double[] of) {
    double[] sorted = of.clone();
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long heapBytes() {
    System.gc();
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  private static long residentBytes() {
    try {
      String[] pages = Files.readString(Path.of("/proc/self/statm")).split(" ", -1);
      return Long.parseLong(pages[1]) * PAGE_BYTES;
    } catch (IOException e) {
      return 0; // another system
    }
  }

  // ---- what is measured ----

  /** One node, what it is connected with, and everything on one thread. */
  private abstract static class Scene implements ChannelHandler {
    private final int count;
    private final MemorySegment message = Arena.ofAuto().allocate(BYTES);
    private final ChannelHandler back =
        (channel, segment, offset, length, sequence) ->
            channel.offer(segment, offset, length) > 0
                ? MessageHandler.Action.CONTINUE
                : MessageHandler.Action.RETRY_LATER;
    private @Nullable Node near;
    private long came;

    Scene(int count) {
      this.count = count;
    }

    final void start(NodeConfigBuilder config) {
      near = Node.start(config.build());
    }

    final Node near() {
      Node started = near;
      if (started == null) {
        throw new IllegalStateException("not open");
      }
      return started;
    }

    int count() {
      return count;
    }

    /** Nodes that hold what is counted. */
    abstract int ends();

    abstract Channel channel(int i);

    /** The node at the other end of that channel. */
    abstract Node far(int i);

    /** Has all of them there and used once. */
    abstract void open();

    /** Lets those have a turn that are not measured. */
    void keep() {}

    void close() {
      if (near != null) {
        near.close(Duration.ZERO);
      }
    }

    @Override
    public MessageHandler.Action onMessage(
        Channel channel, MemorySegment segment, long offset, long length, long sequence) {
      came++;
      return MessageHandler.Action.CONTINUE;
    }

    int emptyPoll() {
      return near().poll(this, POLL_LIMIT);
    }

    int roundTrip(int i) {
      Channel channel = channel(i);
      Node far = far(i);
      long until = came + 1;
      while (channel.offer(message, 0, BYTES) <= 0) {
        turn(far);
      }
      int polls = 0;
      for (; came < until; polls++) {
        turn(far);
        if (polls > 100_000_000) {
          throw new IllegalStateException("no answer on " + channel);
        }
      }
      return polls;
    }

    final void turn(Node far) {
      int unused = far.poll(back, POLL_LIMIT) + near().poll(this, POLL_LIMIT);
    }

    final void await(BooleanSupplier until, Runnable turn) {
      long endNs = System.nanoTime() + PATIENCE_NS;
      while (!until.getAsBoolean()) {
        turn.run();
        if (System.nanoTime() > endNs) {
          throw new IllegalStateException("not connected within a minute: " + near().peers());
        }
      }
    }

    final void keepFor(long forNs) {
      long endNs = System.nanoTime() + forNs;
      while (System.nanoTime() < endNs) {
        int unused = near().poll(this, POLL_LIMIT);
        keep();
      }
    }

    static NodeConfigBuilder config(String name) {
      return NodeConfig.builder()
          .name(name)
          .progress(Progress.caller(Idle.spin()))
          .shutdownHook(false);
    }
  }

  private static final class Channels extends Scene {
    private final Node far;
    private final List<Channel> channels = new ArrayList<>();

    Channels(int count) {
      super(count);
      far = Node.start(config("far-" + count).rail("shm:").maxChannels(count).build());
    }

    @Override
    void open() {
      NodeConfigBuilder config = config("near-" + count()).rail("shm:").maxChannels(count());
      far.localAddresses().forEach(address -> config.peer(far.name(), address.text()));
      start(config);
      Peer peer = near().peer(far.name());
      await(peer::isUp, () -> turn(far));
      for (int i = 0; i < count(); i++) {
        channels.add(peer.channel(i));
        int unused = roundTrip(i);
      }
    }

    @Override
    int ends() {
      return 2;
    }

    @Override
    Channel channel(int i) {
      return channels.get(i);
    }

    @Override
    Node far(int i) {
      return far;
    }

    @Override
    void keep() {
      turn(far);
    }

    @Override
    void close() {
      super.close();
      far.close(Duration.ZERO);
    }
  }

  private static final class Connections extends Scene {
    private static final String RAIL = "udp://127.0.0.1:0";
    private final List<Node> far = new ArrayList<>();
    private final List<Channel> channels = new ArrayList<>();

    Connections(int count) {
      super(count);
      for (int i = 0; i < count; i++) {
        far.add(Node.start(config("far-" + i).rail(RAIL).build()));
      }
    }

    @Override
    void open() {
      NodeConfigBuilder config = config("near").rail(RAIL);
      far.forEach(node -> config.peer(node.name(), node.localAddresses().getFirst().text()));
      start(config);
      await(() -> near().peers().stream().allMatch(Peer::isUp), this::keep);
      for (int i = 0; i < count(); i++) {
        channels.add(near().peer(far.get(i).name()).channel(1));
        int unused = roundTrip(i);
      }
    }

    @Override
    int ends() {
      return 2;
    }

    @Override
    Channel channel(int i) {
      return channels.get(i);
    }

    @Override
    Node far(int i) {
      return far.get(i);
    }

    @Override
    void keep() {
      far.forEach(this::turn);
    }

    @Override
    void close() {
      super.close();
      far.forEach(node -> node.close(Duration.ZERO));
    }
  }

  private static final class KnownPeers extends Scene {
    KnownPeers(int count) {
      super(count);
    }

    @Override
    void open() {
      NodeConfigBuilder config = config("near").rail("udp://127.0.0.1:0");
      config.maxConnections(count());
      for (int i = 0; i < count(); i++) {
        config.peer("known-" + i);
      }
      start(config);
    }

    @Override
    int ends() {
      return 1;
    }

    @Override
    Channel channel(int i) {
      throw new IllegalStateException("nobody is connected");
    }

    @Override
    Node far(int i) {
      throw new IllegalStateException("nobody is connected");
    }
  }
}
