// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import java.util.List;

/**
 * What one node of the live demo shall be.
 *
 * @param sender whether it sends; the other one receives and judges
 * @param rails the networks that join the two, one rail each
 * @param port UDP port of all rails
 * @param seeds addresses of the receiver, for the sender
 * @param host address that the page is served on
 * @param pagePort port of the page
 * @param hosts further names that a browser may call the page by
 * @param rate rate to which the sender shapes its interfaces, in the words of {@code tc}; empty for
 *     none
 * @param detours whether packets for a rail's network may take another way, such as a default
 *     route, while its interface is down
 * @param loadMbit what the stream offers, in Mbit/s
 * @param container the name of this container, for the commands shown; empty if it is none
 */
public record LiveOptions(
    boolean sender,
    List<Network> rails,
    int port,
    List<String> seeds,
    String host,
    int pagePort,
    List<String> hosts,
    String rate,
    boolean detours,
    int loadMbit,
    String container) {
  /** The most that the stream may offer, in Mbit/s. */
  public static final int MAX_LOAD_MBIT = 2_000;

  /** Copies the lists. */
  public LiveOptions {
    rails = List.copyOf(rails);
    seeds = List.copyOf(seeds);
    hosts = List.copyOf(hosts);
  }

  /** The node's name: two of one name would not be told apart. */
  String node() {
    return sender ? "sender" : "receiver";
  }

  /** The other one's. */
  String peer() {
    return sender ? "receiver" : "sender";
  }
}
