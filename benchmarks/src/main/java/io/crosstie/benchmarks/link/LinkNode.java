// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeAddress;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.NodeConfigBuilder;
import io.crosstie.messaging.Peer;
import io.crosstie.messaging.Progress;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.messaging.RailState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The node of one end of a Crosstie subject. */
final class LinkNode {
  /** What is said of figures over a rail that neither paces nor looks for congestion. */
  static final String UNPACED = "unpaced: both ends on one host, so without congestion control";

  private static final String NEAR = "near";
  private static final String FAR = "far";

  private final boolean near;
  private final List<String> rails;
  private final Progress progress;
  private final String checksum;
  private final boolean accelerator;

  /** Whether who calls drives the protocol in every poll, so that nothing is left to do between. */
  private final boolean spins;

  private @Nullable Node node;

  LinkNode(
      boolean near, List<String> rails, Progress progress, String checksum, boolean accelerator) {
    this.near = near;
    this.rails = rails;
    this.progress = progress;
    this.checksum = checksum;
    this.accelerator = accelerator;
    this.spins =
        (progress.isCaller() || progress.isShared()) && progress.idle().toString().equals("spin");
    if (!near) {
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

  /** As {@link Link#address}. */
  String address() {
    Node started = node;
    return started == null
        ? ""
        : started.localAddresses().stream().map(NodeAddress::text).collect(Collectors.joining(" "));
  }

  /** As {@link Link#connect}. */
  void connect(String peer) {
    if (near) {
      node = Node.start(config(NEAR).peer(FAR, peer.split(" ")).build());
    }
  }

  /**
   * The started node.
   *
   * @throws IllegalStateException if it is not yet
   */
  Node node() {
    Node started = node;
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  /** Drives the set-up; the other end if it is connected, else null. */
  @Nullable Peer awaitPeer() {
    node().idle();
    String other = near ? FAR : NEAR;
    for (Peer peer : node().peers()) {
      if (peer.name().equals(other) && peer.isUp()) {
        return peer;
      }
    }
    return null;
  }

  /** Small messages go by the quickest rail, so all have to be there before anything is timed. */
  boolean hasAllRails(Peer peer) {
    return peer.rails().size() >= rails.size()
        && peer.rails().stream().allMatch(rail -> rail.state() == RailState.ACTIVE);
  }

  /** Lets the protocol work where nobody else does. */
  void turn() {
    if (progress.isCaller()) {
      int unused = node().doWork();
    }
  }

  /** After a poll that found nothing. */
  void idleUnlessSpinning() {
    if (!spins) {
      node().idle();
    }
  }

  /** Whether who calls makes progress, and nobody else. */
  boolean isCaller() {
    return progress.isCaller();
  }

  /**
   * Whether congestion control was left out, as the rails say; or rails that were lost, and what
   * went by the others instead. One that is merely suspected when the run ends is not: on two
   * processors each of them may be silent for some milliseconds.
   */
  String note(Peer peer) {
    List<String> lost = new ArrayList<>();
    long otherBytes = 0;
    boolean unpaced = false;
    for (RailInfo rail : peer.rails()) {
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

  void close() {
    Node started = node;
    if (started != null) {
      started.close(Duration.ZERO);
    }
  }
}
