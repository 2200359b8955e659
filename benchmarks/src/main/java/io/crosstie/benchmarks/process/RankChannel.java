// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.ChannelHandler;
import io.crosstie.messaging.MessageHandler;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailState;
import io.crosstie.messaging.Region;
import io.crosstie.messaging.RegionStatus;
import io.crosstie.messaging.RemoteRegion;
import io.crosstie.ranks.Communicator;
import io.crosstie.ranks.Data;
import io.crosstie.ranks.World;
import io.crosstie.ranks.WorldConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What lies below ranks, by the same loops: round trips by a plain channel, whose messages are
 * copied into the place of the one before as a receive would do, and a stream by puts with a
 * notification each. Two processes of the launcher, which find one another as ranks; these leave
 * before anything is measured.
 */
final class RankChannel {
  private static final String RAILS = "CROSSTIE_RAILS";
  private static final int TAG = 1;
  private static final int CHANNEL = 1;
  private static final int POLL_LIMIT = 64;
  private static final int MOST_ADDRESSES = 4096;
  private static final long PAGE = 4096;
  private static final long PATIENCE_NS = 30_000_000_000L;
  private static final byte[] NOTIFICATION = new byte[Long.BYTES];

  private final int rank;
  private final Node node;
  private final Channel channel;
  private final boolean spins;
  private final ChannelHandler handler = new Handler();
  private MemorySegment into = MemorySegment.NULL;
  private int received;
  private int notified;
  private int underWay;
  private @Nullable String failure;

  private RankChannel(int rank, Node node, Peer peer) {
    this.rank = rank;
    this.node = node;
    this.channel = peer.channel(CHANNEL);
    this.spins = node.config().progress().idle().toString().equals(RankWorker.SPIN);
  }

  /** Measures. */
  static void run(Progress progress, long warmUpNs, long measureNs, List<RankCase> cases) {
    int rank;
    Node node;
    try (World world = World.join(new WorldConfig().progress(progress))) {
      Communicator all = world.communicator();
      rank = all.rank();
      node = start(all, progress);
      all.barrier();
    }
    try (node;
        Arena arena = Arena.ofShared()) {
      Peer peer = awaitPeer(node);
      RankChannel channel = new RankChannel(rank, node, peer);
      for (RankCase each : cases) {
        RankClock clock = new RankClock(warmUpNs, measureNs);
        switch (each.what()) {
          case RTT -> channel.roundTrips(arena.allocate(each.size(), PAGE), clock);
          case STREAM -> channel.stream(peer, arena, each.size(), clock);
          default -> throw new IllegalArgumentException("a channel knows nothing of " + each);
        }
        RankWorker.tell(rank, each, clock);
      }
      channel.await(() -> channel.channel.acceptedSequence() >= channel.channel.offeredSequence());
      node.close(Duration.ofSeconds(2)); // the other end has got the last message
    }
  }

  /** Rank 1 tells rank 0 where it is. */
  private static Node start(Communicator all, Progress progress) {
    if (all.rank() == 1) {
      Node node = Node.start(config("far", progress).build());
      String addresses =
          node.localAddresses().stream().map(NodeAddress::text).collect(Collectors.joining(" "));
      all.send(Data.of(addresses.getBytes(StandardCharsets.UTF_8)), 0, TAG);
      return node;
    }
    byte[] told = new byte[MOST_ADDRESSES];
    int length = (int) all.recv(Data.of(told), 1, TAG).bytes();
    String[] addresses = new String(told, 0, length, StandardCharsets.UTF_8).split(" ", -1);
    return Node.start(config("near", progress).peer("far", addresses).build());
  }

  private static NodeConfigBuilder config(String name, Progress progress) {
    NodeConfigBuilder config = NodeConfig.builder().name(name).progress(progress);
    String rails = System.getenv(RAILS);
    for (String rail : rails == null ? new String[0] : rails.split(",", -1)) {
      config.rail(rail);
    }
    return config;
  }

  private static Peer awaitPeer(Node node) {
    long startNs = System.nanoTime();
    while (System.nanoTime() - startNs < PATIENCE_NS) {
      for (Peer peer : node.peers()) {
        if (peer.isUp()
            && !peer.rails().isEmpty()
            && peer.rails().stream().allMatch(rail -> rail.state() == RailState.ACTIVE)) {
          return peer;
        }
      }
      node.idle();
    }
    throw new IllegalStateException("the other end did not connect within 30 s");
  }

  /** What came. */
  private final class Handler implements ChannelHandler {
    @Override
    public MessageHandler.Action onMessage(
        Channel of, MemorySegment segment, long offset, long length, long sequence) {
      MemorySegment.copy(segment, offset, into, 0, length);
      received++;
      return MessageHandler.Action.CONTINUE;
    }

    @Override
    public void onNotification(
        Region region,
        Peer peer,
        MemorySegment bytes,
        long offset,
        int length,
        long targetOffset,
        long targetLength) {
      notified++;
    }
  }

  private void await(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      int work = node.poll(handler, POLL_LIMIT);
      if (work == 0) {
        if (failure != null || channel.status() != 0) {
          throw new IllegalStateException(
              failure != null ? failure : "the channel ended with status " + channel.status());
        }
        if (!spins) {
          node.idle();
        }
      }
    }
  }

  private void offer(MemorySegment message) {
    await(() -> channel.offer(message, 0, message.byteSize()) > 0);
  }

  private void receiveOne(MemorySegment to) {
    into = to;
    await(() -> received > 0);
    received--;
  }

  private void roundTrips(MemorySegment buffer, RankClock clock) {
    RankLoops.roundTrips(
        rank,
        new RankLoops.Trip() {
          @Override
          public void send() {
            offer(buffer);
          }

          @Override
          public void receive() {
            receiveOne(buffer);
          }
        },
        buffer,
        clock);
  }

  private void stream(Peer peer, Arena arena, long size, RankClock clock) {
    int window = (int) RankLoops.window(size);
    MemorySegment memory = arena.allocate(window * size, PAGE);
    MemorySegment token = arena.allocate(ValueLayout.JAVA_LONG);
    Region region = rank == 1 ? node.export(memory, Set.of(Region.Right.PUT), peer) : null;
    RemoteRegion remote = null;
    if (region != null) {
      token.set(ValueLayout.JAVA_LONG, 0, region.key());
      offer(token);
    } else {
      receiveOne(token);
      remote = peer.region(token.get(ValueLayout.JAVA_LONG, 0));
    }
    RankLoops.stream(rank, new Puts(remote, memory, token, window, size), memory, size, clock);
    if (region != null) {
      region.close();
    }
  }

  /** A window of puts. */
  private final class Puts implements RankLoops.Windows {
    private final @Nullable RemoteRegion remote;
    private final MemorySegment memory;
    private final MemorySegment token;
    private final int window;
    private final long size;

    Puts(
        @Nullable RemoteRegion remote,
        MemorySegment memory,
        MemorySegment token,
        int window,
        long size) {
      this.remote = remote;
      this.memory = memory;
      this.token = token;
      this.window = window;
      this.size = size;
    }

    @Override
    public void sendAll() {
      RemoteRegion to = remote;
      if (to == null) {
        throw new IllegalStateException("the receiver has nowhere to put to");
      }
      for (int i = 0; i < window; i++) {
        long at = i * size;
        await(() -> put(to, at) > 0);
      }
      await(() -> underWay == 0);
    }

    private long put(RemoteRegion to, long at) {
      long status =
          to.put(
              memory,
              at,
              size,
              at,
              NOTIFICATION,
              (peer, done, error) -> {
                underWay--;
                if (done != RegionStatus.DONE) {
                  failure = done + ": " + error;
                }
              });
      if (status > 0) {
        underWay++;
      }
      return status;
    }

    @Override
    public void receiveAll() {
      await(() -> notified >= window);
      notified -= window;
    }

    @Override
    public void answer(boolean more) {
      token.set(ValueLayout.JAVA_LONG, 0, more ? 1 : 0);
      offer(token);
    }

    @Override
    public boolean awaitAnswer() {
      receiveOne(token);
      return token.get(ValueLayout.JAVA_LONG, 0) != 0;
    }
  }
}
