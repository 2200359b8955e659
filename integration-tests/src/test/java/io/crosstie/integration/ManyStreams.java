// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.integration;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import io.crosstie.testkit.process.SharedSegment;
import io.crosstie.testkit.stream.NumberedMessage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * A program in which segments are spoiled over and over: it is a process of its own, since a fault
 * that is not caught ends the JVM. Its nodes take turns on one thread, in an order that the seed
 * decides. It says {@code done} and some figures, or fails.
 *
 * <p>Arguments: {@code losses FOLDER SEED COUNT} or {@code bytes FOLDER SEED MEMORY STEP}.
 */
final class ManyStreams {
  private static final String UDP = "udp://127.0.0.1:0";
  private static final long PATIENCE_NS = 120_000_000_000L;

  /** Header and both control areas: what is not ring. */
  private static final int CONTROL_END = 4096;

  private static final int LARGE = 100_000;
  private static final int BURST = 16;
  private static final long ASIDE = 1_000_000;

  private final Path folder;
  private final SplittableRandom random;
  private final List<Node> nodes = new ArrayList<>();

  /** What segments are; see the option of that name. */
  private String memory = "auto";

  private final MemorySegment buffer = Arena.global().allocate(LARGE, 64);
  private long names;

  private ManyStreams(Path folder, long seed) {
    this.folder = folder;
    this.random = new SplittableRandom(seed);
  }

  public static void main(String[] args) throws IOException {
    ManyStreams program = new ManyStreams(Path.of(args[1]), Long.parseLong(args[2]));
    if (args[0].equals("losses")) {
      program.losses(Integer.parseInt(args[3]));
    } else {
      program.memory = args[3];
      program.bytes(Integer.parseInt(args[4]));
    }
  }

  // ---- what is shown ----

  /** Each stream loses its segment in the middle and has to finish all the same. */
  private void losses(int count) throws IOException {
    long overUdp = 0;
    int lost = 0;
    for (int i = 0; i < count; i++) {
      Path place = Files.createDirectory(folder.resolve("p" + i));
      memory = random.nextBoolean() ? "sealed" : "file";
      Node b = node(place);
      Node a = node(place, b);
      Stream stream = new Stream(a, b, i, 40 + random.nextInt(100));
      int loseAt = 1 + random.nextInt(stream.count / 2); // much of it is still to come
      until("the middle of stream " + i, () -> stream.offered >= loseAt, stream);
      List<SharedSegment> segments = ProcessScene.segments(ProcessHandle.current().pid(), place);
      check(!segments.isEmpty(), "stream " + i + " has no segment");
      String how = spoil(segments.getFirst());
      until("the end of stream " + i + ", " + how, stream::isAccepted, stream);
      lost += wasLost(a) || wasLost(b) ? 1 : 0;
      overUdp += udpPayload(a);
      close(a);
      close(b);
    }
    // one that ends before it comes to the spoiled part, or writes over it, need not notice
    check(lost > count * 3 / 4, "only " + lost + " segments were lost");
    check(overUdp > 0, "nothing went over UDP");
    System.out.println("done streams=" + count + " lost=" + lost + " bytesOverUdp=" + overUdp);
  }

  private String spoil(SharedSegment segment) throws IOException {
    long size = segment.size();
    return switch (segment.sealed() ? random.nextInt(2, 4) : random.nextInt(4)) {
      case 0 -> {
        segment.truncate(0);
        yield "truncated to nothing";
      }
      case 1 -> {
        segment.truncate(random.nextLong(size));
        yield "truncated somewhere";
      }
      case 2 -> {
        segment.overwrite(0, random::nextBytes);
        yield "garbage everywhere";
      }
      default -> {
        segment.overwrite(CONTROL_END, random::nextBytes);
        yield "garbage in the rings";
      }
    };
  }

  /**
   * Every byte that is not ring, or each {@code step}th of them, is changed under both ends of a
   * segment while messages flow: whatever that does to this rail, all messages arrive, and the rail
   * to another peer is not touched.
   */
  private void bytes(int step) throws IOException {
    int losses = 0;
    for (int at = 0; at < CONTROL_END; losses++) {
      Path place = Files.createDirectory(folder.resolve("from" + at));
      Path spoiled = Files.createDirectory(place.resolve("a"));
      Path other = Files.createDirectory(place.resolve("c"));
      Node b = node(List.of(spoiled, other)); // a port finds its peers in its own folder only
      Node a = node(List.of(spoiled), b);
      Node bystander = node(List.of(other), b);
      Stream stream = new Stream(a, b, at, Integer.MAX_VALUE);
      Stream aside = new Stream(bystander, b, ASIDE, Integer.MAX_VALUE);
      while (at < CONTROL_END && !wasLost(a) && !wasLost(b)) {
        SharedSegment segment =
            ProcessScene.segments(ProcessHandle.current().pid(), spoiled).getFirst();
        segment.write(at, (byte) (1 + random.nextInt(255)));
        long goal = stream.received + 10;
        long goalAside = aside.received + 10;
        until(
            "messages after byte " + at + " was changed",
            () -> stream.received >= goal && aside.received >= goalAside,
            stream,
            aside);
        at += step;
      }
      Set<RailState> sound = Set.of(RailState.ACTIVE, RailState.SUSPECT); // which passes
      check(!wasLost(bystander, sound), "the bystander lost its rail at byte " + at);
      close(a);
      close(bystander);
      close(b);
    }
    System.out.println("done rails=" + losses);
  }

  // ---- nodes ----

  private Node node(Path place, Node... peers) {
    return node(List.of(place), peers);
  }

  private Node node(List<Path> places, Node... peers) {
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name("n" + names++)
            .progress(Progress.caller(Idle.custom(work -> othersWork())))
            .shutdownHook(false);
    for (Path place : places) {
      config.rail("shm:" + place + "?size=64KiB&memory=" + memory);
    }
    config.rail(UDP);
    for (Node peer : peers) {
      config.peer(
          peer.name(),
          peer.localAddresses().stream().map(NodeAddress::text).toArray(String[]::new));
    }
    Node node = Node.start(config.build());
    nodes.add(node);
    return node;
  }

  /** While one node waits in its close. */
  private void othersWork() {
    nodes.forEach(Node::doWork);
  }

  private void close(Node node) {
    boolean unused = nodes.remove(node);
    node.close(Duration.ZERO);
  }

  /** Whether a node's only segment failed at least once, or seems to fail now. */
  private static boolean wasLost(Node node) {
    return wasLost(node, Set.of(RailState.ACTIVE));
  }

  private static boolean wasLost(Node node, Set<RailState> sound) {
    long lost = 0;
    for (Peer peer : node.peers()) {
      for (RailInfo rail : peer.rails()) {
        if (rail.local().startsWith("shm:")) {
          lost += rail.counters().get(RailCounter.RESTARTS);
          lost += sound.contains(rail.state()) ? 0 : 1;
        }
      }
    }
    return lost > 0;
  }

  private static long udpPayload(Node node) {
    long bytes = 0;
    for (Peer peer : node.peers()) {
      for (RailInfo rail : peer.rails()) {
        if (rail.local().startsWith("udp:")) {
          bytes += rail.counters().get(RailCounter.PAYLOAD_FIRST_OUT);
          bytes += rail.counters().get(RailCounter.PAYLOAD_AGAIN_OUT);
        }
      }
    }
    return bytes;
  }

  /** Lets nodes take turns until a condition holds. */
  private void until(String what, BooleanSupplier condition, Stream... streams) {
    long endNs = System.nanoTime() + PATIENCE_NS;
    while (!condition.getAsBoolean()) {
      check(System.nanoTime() - endNs < 0, "not in time: " + what + describe());
      int unused = nodes.get(random.nextInt(nodes.size())).doWork();
      for (Stream stream : streams) {
        stream.run();
      }
    }
  }

  private String describe() {
    StringBuilder text = new StringBuilder();
    for (Node node : nodes) {
      node.peers().forEach(peer -> text.append('\n').append(node).append(peer.rails()));
    }
    return text.toString();
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new IllegalStateException(what);
    }
  }

  /** Numbered messages from one node to another, of which each has to arrive once and whole. */
  private final class Stream {
    private final Channel out;
    private final Channel in;
    private final long seed;
    private final int count;
    private long offered;
    private long received;

    /** Returns when both nodes use both of their rails. */
    Stream(Node from, Node to, long seed, int count) {
      this.seed = seed;
      this.count = count;
      out = from.peer(to.name()).channel(1);
      until(
          "the rails of stream " + seed,
          () -> from.peer(to.name()).isUp() && allActive(from.peer(to.name())) && sees(to, from));
      in = to.peer(from.name()).channel(1);
    }

    private boolean sees(Node to, Node from) {
      return to.peers().stream()
          .anyMatch(peer -> peer.name().equals(from.name()) && peer.isUp() && allActive(peer));
    }

    private boolean allActive(Peer peer) {
      return peer.rails().size() == 2
          && peer.rails().stream().allMatch(rail -> rail.state() == RailState.ACTIVE);
    }

    void run() {
      for (int i = random.nextInt(BURST); i > 0 && offered < count; i--) {
        int most = content(offered);
        NumberedMessage.write(buffer, 0, most, seed, offered, 0);
        long sequence = out.offer(buffer, 0, most);
        check(sequence > 0 || sequence == Channel.BACK_PRESSURED, "refused: " + sequence);
        if (sequence <= 0) {
          break;
        }
        offered++;
      }
      int unused = out.poll((m, offset, length, sequence) -> Channel.CONTINUE, BURST);
      unused = in.poll(this::take, BURST);
    }

    /** Lengths of small messages, and now and then a large one, which is granted. */
    private int content(long index) {
      return index % 64 == 20 ? LARGE : Source.length(24, 2000, seed, index);
    }

    private MessageHandler.Action take(MemorySegment m, long offset, long length, long sequence) {
      check(NumberedMessage.isSound(m, offset, length), "stream " + seed + ": not what was sent");
      check(
          NumberedMessage.stream(m, offset) == seed
              && NumberedMessage.number(m, offset) == received
              && length == content(received),
          "stream "
              + seed
              + ": message "
              + NumberedMessage.number(m, offset)
              + " and not "
              + received);
      received++;
      return Channel.CONTINUE;
    }

    boolean isAccepted() {
      return received == count && out.acceptedSequence() == count;
    }
  }
}
