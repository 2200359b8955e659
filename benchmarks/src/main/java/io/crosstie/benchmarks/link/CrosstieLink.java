// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Channel;
import io.crosstie.messaging.Completion;
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
import io.crosstie.messaging.SendCompletion;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Crosstie as an application uses it: a node with default configuration, apart from its rails, its
 * progress mode and, for one kind of row, its checksum. Messages below 64 KiB are offered, larger
 * ones are lent.
 */
final class CrosstieLink implements Link {
  /** What is said of figures over a rail that neither paces nor looks for congestion. */
  static final String UNPACED = "unpaced: both ends on one host, so without congestion control";

  /** What an application would lend instead of having it copied. */
  private static final int MAX_OFFER = (1 << 16) - 1;

  private static final long BYTES_PER_TURN = 1 << 16;
  private static final int POLL_LIMIT = 64;
  private static final String NEAR = "near";
  private static final String FAR = "far";

  private final LinkSpec spec;
  private final List<String> rails;
  private final Progress progress;

  /** Whether who calls drives the protocol in every poll, so that nothing is left to do between. */
  private final boolean spins;

  private final String checksum;
  private final boolean accelerator;
  private final MemorySegment messages;
  private final boolean lends;
  private final int maxLent;
  private final SendCompletion returned = this::onReturned;
  private final MessageHandler toSink = this::toSink;
  private final MessageHandler back = this::back;
  private @Nullable Node node;
  private @Nullable Channel channel;
  private @Nullable Sink sink;
  private @Nullable String failure;
  private int lent;
  private int sinceTurn;
  private long bytesSinceTurn;

  CrosstieLink(
      LinkSpec spec, List<String> rails, Progress progress, String checksum, boolean accelerator) {
    this.spec = spec;
    this.rails = rails;
    this.progress = progress;
    this.spins =
        (progress.isCaller() || progress.isShared()) && progress.idle().toString().equals("spin");
    this.checksum = checksum;
    this.accelerator = accelerator;
    messages = spec.messages();
    lends = spec.size() > MAX_OFFER;
    maxLent = spec.slots() - 1;
    if (!spec.near()) {
      node = Node.start(config(FAR).build());
    }
  }

  private NodeConfigBuilder config(String name) {
    NodeConfigBuilder config =
        NodeConfig.builder()
            .name(name)
            .progress(progress)
            .checksum(checksum)
            .accelerator(accelerator);
    rails.forEach(config::rail);
    return config;
  }

  @Override
  public String address() {
    Node started = node;
    return started == null
        ? ""
        : started.localAddresses().stream().map(NodeAddress::text).collect(Collectors.joining(" "));
  }

  @Override
  public void connect(String peer) {
    if (spec.near()) {
      node = Node.start(config(NEAR).peer(FAR, peer.split(" ")).build());
    }
  }

  @Override
  public boolean isReady() {
    Node started = node();
    started.idle();
    String other = spec.near() ? FAR : NEAR;
    for (Peer peer : started.peers()) {
      if (channel == null && peer.name().equals(other) && peer.isUp()) {
        channel = peer.channel(1);
      }
    }
    return channel != null && hasAllRails(channel.peer());
  }

  /** Small messages go by the quickest rail, so all have to be there before anything is timed. */
  private boolean hasAllRails(Peer peer) {
    return peer.rails().size() >= rails.size()
        && peer.rails().stream().allMatch(rail -> rail.state() == RailState.ACTIVE);
  }

  private Node node() {
    Node started = node;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  private Channel channel() {
    Channel open = channel;
    if (open == null) {
      throw new IllegalStateException("not connected");
    }
    return open;
  }

  @Override
  public boolean send(long offset, int length) {
    if (lends) {
      return lend(offset, length);
    }
    long sequence = channel().offer(messages, offset, length);
    if (sequence <= 0) {
      return refused(sequence);
    }
    bytesSinceTurn += length;
    if (++sinceTurn == LinkSpec.MESSAGES_PER_TURN || bytesSinceTurn >= BYTES_PER_TURN) {
      turn();
    }
    return true;
  }

  private boolean lend(long offset, int length) {
    if (lent == maxLent) {
      return false;
    }
    long sequence = channel().send(messages, offset, length, returned);
    if (sequence <= 0) {
      return refused(sequence);
    }
    lent++;
    turn();
    return true;
  }

  private static boolean refused(long status) {
    if (status != Channel.BACK_PRESSURED && status != Channel.CONNECTING) {
      throw new LinkException("a message was refused for good with status " + status);
    }
    return false;
  }

  /** Lets the protocol work where nobody else does. */
  private void turn() {
    sinceTurn = 0;
    bytesSinceTurn = 0;
    if (progress.isCaller()) {
      int unused = node().doWork();
    }
  }

  private void onReturned(Completion completion) {
    lent--;
    if (!completion.isDone()) {
      failure = completion.error();
    }
  }

  @Override
  public void progress() {
    node().idle(channel().poll(toSink, POLL_LIMIT));
    check();
  }

  @Override
  public int poll(Sink sink) {
    this.sink = sink;
    int count = channel().poll(toSink, POLL_LIMIT);
    if (count == 0) {
      idleUnlessSpinning();
    }
    return count;
  }

  @Override
  public int echo() {
    int count = channel().poll(back, POLL_LIMIT);
    if (count == 0) {
      idleUnlessSpinning();
    }
    return count;
  }

  private void idleUnlessSpinning() {
    check();
    if (!spins) {
      node().idle();
    }
  }

  private void check() {
    if (failure != null || channel().status() != 0) {
      throw new LinkException(
          failure != null ? failure : "the channel ended with status " + channel().status());
    }
  }

  private MessageHandler.Action toSink(
      MemorySegment segment, long offset, long length, long sequence) {
    Sink taker = sink;
    if (taker == null) {
      throw new IllegalStateException("a message came that nobody expects");
    }
    taker.onData(segment, offset, length);
    return MessageHandler.Action.CONTINUE;
  }

  private MessageHandler.Action back(
      MemorySegment segment, long offset, long length, long sequence) {
    return channel().offer(segment, offset, length) > 0
        ? MessageHandler.Action.CONTINUE
        : MessageHandler.Action.RETRY_LATER;
  }

  /** A node with a thread of its own waits by itself, and its application elsewhere, too. */
  @Override
  public void idle() {
    if (progress.isCaller()) {
      node().idle();
    } else {
      Link.super.idle();
    }
  }

  @Override
  public boolean isAllAccepted() {
    return channel().acceptedSequence() >= channel().offeredSequence();
  }

  /**
   * Whether congestion control was left out, as the rails say; or rails that were lost, and what
   * went by the others instead. One that is merely suspected when the run ends is not: on two
   * processors each of them may be silent for some milliseconds.
   */
  @Override
  public String note() {
    List<String> lost = new ArrayList<>();
    long otherBytes = 0;
    boolean unpaced = false;
    for (RailInfo rail : channel().peer().rails()) {
      boolean works = rail.state() == RailState.ACTIVE || rail.state() == RailState.SUSPECT;
      if (!works || rail.counters().get(RailCounter.RESTARTS) > 0) {
        lost.add(rail.kind());
      } else {
        unpaced |= rail.counters().get(RailCounter.UNPACED) != 0;
        otherBytes += rail.counters().get(RailCounter.PAYLOAD_FIRST_OUT);
        otherBytes += rail.counters().get(RailCounter.PAYLOAD_AGAIN_OUT);
      }
    }
    return lost.isEmpty()
        ? unpaced ? UNPACED : ""
        : String.format(
            Locale.ROOT,
            "rails lost: %s; sent by the others: %.1f MB",
            String.join(", ", lost),
            otherBytes / 1e6);
  }

  @Override
  public void close() {
    Node started = node;
    if (started != null) {
      started.close(Duration.ZERO);
    }
  }
}
