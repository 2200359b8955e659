// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.Namespaces;
import io.crosstie.testkit.process.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Two hosts, which are network namespaces, and the rails between them, which are veth pairs, or
 * longer cables, with a token bucket at either end. Their names say which process made them, so
 * that what a dead run has left can be told from what another one uses.
 */
final class TwoHosts implements AutoCloseable {
  private static final Pattern NAME = Pattern.compile("crosstie-lab-([0-9]+)-[0-9a-z]+-[ab]");

  private final List<RailPlan> rails;
  private final Namespaces hosts;
  private final List<DelayedCable> cables = new ArrayList<>();

  private TwoHosts(List<RailPlan> rails, Namespaces hosts) {
    this.rails = List.copyOf(rails);
    this.hosts = hosts;
  }

  /** Builds them. Nothing is left if that fails. */
  static TwoHosts build(List<RailPlan> rails) {
    String key = Long.toString(new SecureRandom().nextLong() >>> 24, 36);
    String name = "crosstie-lab-" + ProcessHandle.current().pid() + "-" + key;
    TwoHosts hosts = new TwoHosts(rails, new Namespaces(name));
    boolean built = false;
    try {
      hosts.join();
      built = true;
      return hosts;
    } finally {
      if (!built) {
        hosts.close();
      }
    }
  }

  private void join() {
    for (RailPlan rail : rails) {
      String device = rail.device();
      String here = rail.here() + "/24";
      String there = rail.there() + "/24";
      RailPlan.Path path = rail.path();
      if (path != null) {
        cables.add(new DelayedCable(a(), b(), device, path.delayNs(), path.disorder()));
        if (path.mtu() > 0) {
          narrow(a(), device, path.mtu());
          narrow(b(), device, path.mtu());
        }
        Namespaces.raise(a(), device, here);
        Namespaces.raise(b(), device, there);
      } else {
        hosts.join(device, here, there);
      }
      rate(a(), rail, rail.rate(), "add");
      rate(b(), rail, rail.rate(), "add");
    }
  }

  private static void narrow(String host, String device, int mtu) {
    Shell.run("ip", "-n", host, "link", "set", "dev", device, "mtu", Integer.toString(mtu));
  }

  private static void rate(String host, RailPlan rail, String rate, String verb) {
    List<String> words = new ArrayList<>(List.of("tc", "-n", host, "qdisc", verb));
    words.addAll(List.of("dev", rail.device(), "root", "tbf", "rate", rate, "burst"));
    RailPlan.Path path = rail.path();
    if (path != null && path.queueBytes() > 0) {
      words.add(Long.toString(Math.max(4096, rail.bitsPerSecond() / 8 / 500))); // 2 ms
      words.addAll(List.of("limit", Long.toString(path.queueBytes())));
    } else {
      words.addAll(List.of("128k", "latency", "20ms"));
    }
    Shell.run(words.toArray(String[]::new));
  }

  /** The sender's host. */
  String a() {
    return hosts.a();
  }

  /** The receiver's host. */
  String b() {
    return hosts.b();
  }

  List<RailPlan> rails() {
    return rails;
  }

  /** Changes a rail's rate in both directions. */
  void setRate(RailPlan rail, String rate) {
    rate(a(), rail, rate, "replace");
    rate(b(), rail, rate, "replace");
  }

  /** Bytes that each rail's interface has brought to the receiver, by the kernel's count. */
  List<Long> bytesReceived() {
    List<Long> bytes = new ArrayList<>();
    for (RailPlan rail : rails) {
      String text =
          Shell.run(
              "ip",
              "netns",
              "exec",
              b(),
              "cat",
              "/sys/class/net/" + rail.device() + "/statistics/rx_bytes");
      bytes.add(Long.parseLong(text.strip()));
    }
    return bytes;
  }

  /** Lets programs ping. */
  void allowPings() {
    Shell.run(
        "ip", "netns", "exec", a(), "sysctl", "-qw", "net.ipv4.ping_group_range=0 2147483647");
  }

  /** How often TCP sends again before it gives up a connection; 15 times at first. */
  void setTcpRetries(int retries) {
    for (String host : List.of(a(), b())) {
      Shell.run("ip", "netns", "exec", host, "sysctl", "-qw", "net.ipv4.tcp_retries2=" + retries);
    }
  }

  /** From now on each packet of the sender is one to the kernel, however many it sends at once. */
  void sendSingly(RailPlan rail) {
    batches(rail, "1");
  }

  private void batches(RailPlan rail, String most) {
    Shell.run("ip", "-n", a(), "link", "set", "dev", rail.device(), "gso_max_segs", most);
  }

  /** Loses so many percent of the single datagrams that come to the receiver; 0 for none. */
  void lose(RailPlan rail, int percent) {
    batches(rail, percent > 0 ? "1" : "65535");
    if (percent > 0) {
      Shell.feed(
          """
          table netdev lab {
            chain ingress {
              type filter hook ingress device "%s" priority 0;
              meta protocol ip numgen random mod 100 < %d drop
            }
          }
          """
              .formatted(rail.device(), percent),
          "ip",
          "netns",
          "exec",
          b(),
          "nft",
          "-f",
          "-");
    }
  }

  /**
   * Lets Multipath TCP use all rails: the receiver tells its other addresses. One timeout is enough
   * for it to leave a rail, not four.
   */
  void enableMultipathTcp() {
    String most = Integer.toString(Math.max(1, rails.size() - 1));
    for (String host : List.of(a(), b())) {
      Shell.run(
          "ip",
          "netns",
          "exec",
          host,
          "sysctl",
          "-qw",
          "net.mptcp.enabled=1",
          "net.mptcp.stale_loss_cnt=1");
      Shell.run(
          "ip", "-n", host, "mptcp", "limits", "set", "subflow", most, "add_addr_accepted", most);
    }
    for (RailPlan rail : rails.subList(1, rails.size())) {
      Shell.run(
          "ip",
          "-n",
          b(),
          "mptcp",
          "endpoint",
          "add",
          rail.there(),
          "dev",
          rail.device(),
          "signal");
    }
  }

  /** Ends what runs on the hosts, and removes them. Idempotent; never throws. */
  @Override
  public synchronized void close() {
    cables.forEach(DelayedCable::close);
    cables.clear();
    hosts.close();
  }

  /** Removes the hosts of runs that were killed. */
  static void sweep() {
    if (!Files.isDirectory(Namespaces.FOLDER)) {
      return;
    }
    List<String> left = new ArrayList<>();
    try (Stream<Path> names = Files.list(Namespaces.FOLDER)) {
      names.map(path -> path.getFileName().toString()).forEach(left::add);
    } catch (IOException e) {
      return; // what cannot be listed is not ours to remove
    }
    for (String name : left) {
      Matcher matcher = NAME.matcher(name);
      if (matcher.matches() && ProcessHandle.of(Long.parseLong(matcher.group(1))).isEmpty()) {
        Namespaces.remove(name);
      }
    }
  }
}
