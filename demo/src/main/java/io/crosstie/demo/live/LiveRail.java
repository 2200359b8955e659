// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.demo.live;

import io.crosstie.demo.rails.RailTotals;
import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.RailCounter;
import io.crosstie.messaging.RailInfo;
import io.crosstie.testkit.process.Shell;
import io.crosstie.testkit.process.ToolException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One rail of a node: keeps it at whatever address this host has in its network, and knows its
 * interface. All but the faults belongs to one thread.
 */
final class LiveRail {
  /** Of two routing rules, before that of the main table. */
  private static final int FIRST_PRIORITY = 7_400;

  private final Network network;
  private final int port;
  private final String rate;
  private final boolean detours;
  private final Consumer<String> news;
  private final Consumer<Nic> arrivals;
  private final Faults faults;
  private final RailTotals totals;
  private final KernelTotal received = new KernelTotal();
  private final KernelTotal sent = new KernelTotal();
  private @Nullable InetAddress address;
  private @Nullable String uri;
  private int knownIndex;
  private volatile @Nullable Nic nic;

  /**
   * @param arrivals told of each interface that comes
   */
  LiveRail(int number, LiveOptions options, Consumer<String> news, Consumer<Nic> arrivals) {
    this.network = options.rails().get(number);
    this.port = options.port();
    this.rate = options.sender() ? options.rate() : "";
    this.detours = options.detours();
    this.news = news;
    this.arrivals = arrivals;
    this.faults = new Faults(number + 1);
    this.totals = new RailTotals(rail -> network.containsRail(rail.local()));
  }

  /** Sees to it that the rail's packets take the rail's interface or none. */
  void begin() {
    if (!detours) {
      removeRules(); // of an earlier life that was killed
      try {
        // The main table without its default routes, and nothing after it. Rules and no route of
        // last resort, since Docker plugs no network in that overlaps with a route.
        rule("add", FIRST_PRIORITY, "lookup", "main", "suppress_prefixlength", "0");
        rule("add", FIRST_PRIORITY + 1, "unreachable");
      } catch (ToolException e) {
        news.accept(network.name() + " may be reached by a detour: " + e.getMessage());
      }
    }
  }

  /** Undoes what was done to this host. */
  void end() {
    faults.close();
    if (!detours) {
      removeRules();
    }
  }

  private void removeRules() {
    try {
      rule("delete", FIRST_PRIORITY);
      rule("delete", FIRST_PRIORITY + 1);
    } catch (ToolException e) {
      // there are none
    }
  }

  private void rule(String verb, int priority, String... action) {
    List<String> words = new ArrayList<>(List.of("ip"));
    if (network.prefix().getAddress().length > 4) {
      words.add("-6");
    }
    words.addAll(
        List.of("rule", verb, "to", network.text(), "priority", Integer.toString(priority)));
    words.addAll(List.of(action));
    Shell.run(words.toArray(String[]::new));
  }

  Network network() {
    return network;
  }

  Faults faults() {
    return faults;
  }

  /** The rail's address for a configuration, as things are; null if this host has none. */
  @Nullable String look() {
    Nic now = Nic.find(network, address);
    nic = now;
    if (now == null) {
      return null;
    }
    welcome(now);
    address = now.address();
    uri = uri(now.address());
    return uri;
  }

  private String uri(InetAddress of) {
    String host = of.getHostAddress();
    int zone = host.indexOf('%');
    host = zone < 0 ? host : host.substring(0, zone);
    return "udp://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /**
   * Follows the interface: what comes back with its old address is found by the library itself; for
   * another address in the network the rail is added anew.
   */
  void follow(Node node) {
    Nic now = Nic.find(network, address);
    nic = now;
    if (now == null) {
      return;
    }
    welcome(now);
    if (now.address().equals(address) || !now.up()) {
      return;
    }
    String before = uri;
    String fresh = uri(now.address());
    try {
      int unused = node.addRail(fresh);
      if (before != null) {
        node.removeRail(before);
      }
      address = now.address();
      uri = fresh;
      news.accept(network.name() + " is now at " + fresh + " on " + now.device());
    } catch (CrosstieException e) {
      news.accept(network.name() + ": " + e.getMessage()); // tried again at the next look
    }
  }

  /** Makes a new interface what it ought to be. */
  private void welcome(Nic now) {
    if (!now.up() || now.index() == knownIndex) {
      return;
    }
    knownIndex = now.index();
    arrivals.accept(now);
    if (rate.isEmpty() || now.loopback()) {
      return;
    }
    try {
      Shell.run(
          "tc",
          "qdisc",
          "replace",
          "dev",
          now.device(),
          "root",
          "tbf",
          "rate",
          rate,
          "burst",
          "128k",
          "latency",
          "20ms");
    } catch (ToolException e) {
      news.accept(network.name() + " keeps its own rate: " + e.getMessage());
    }
  }

  /** How it is. */
  RailView view(List<RailInfo> rails, Map<String, KernelCounters> kernel) {
    totals.update(rails);
    RailInfo current = totals.current();
    Nic now = nic;
    if (now != null) {
      KernelCounters counts = kernel.getOrDefault(now.device(), KernelCounters.NONE);
      long unused = received.update(now.index(), counts.rxBytes());
      unused = sent.update(now.index(), counts.txBytes());
    }
    return new RailView(
        network.name(),
        network.text(),
        now == null ? "" : now.device(),
        now == null ? "" : now.address().getHostAddress(),
        now != null && now.up(),
        current == null ? "NONE" : current.state().name(),
        faults.fault(now),
        totals.sum(RailCounter.PAYLOAD_IN),
        totals.sum(RailCounter.PAYLOAD_FIRST_OUT) + totals.sum(RailCounter.PAYLOAD_AGAIN_OUT),
        totals.sum(RailCounter.PAYLOAD_AGAIN_OUT),
        totals.gauge(RailCounter.SRTT_NS) / 1e6,
        totals.sum(RailCounter.FAILOVERS),
        totals.sum(RailCounter.FAILBACKS),
        received.total(),
        sent.total());
  }
}
