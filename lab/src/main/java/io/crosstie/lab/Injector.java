// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors

package io.crosstie.lab;

import io.crosstie.testkit.process.Shell;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Makes faults on one rail of a scene, or to one process. Knows the kernel's tools, and nothing of
 * what goes over the rails.
 */
final class Injector implements AutoCloseable {
  private static final String CLEAR = "delete table netdev lab";

  /** Those of one host. */
  private record Tools(Console links, Console filters) {}

  private final Scene scene;
  private final Map<String, Tools> tools = new HashMap<>();
  private final RandomGenerator random;
  private final List<Long> marks = new ArrayList<>();
  private RailPlan rail;
  private @Nullable StoppedThread stopped;
  private int cut;

  Injector(Scene scene, RandomGenerator random) {
    this.scene = scene;
    this.random = random;
    this.rail = scene.hosts().rails().getFirst();
    for (String host : List.of(sender(), receiver())) {
      tools.put(host, new Tools(Console.links(host), Console.filters(host)));
    }
  }

  private Console links(String host) {
    return Objects.requireNonNull(tools.get(host)).links;
  }

  private Console filters(String host) {
    return Objects.requireNonNull(tools.get(host)).filters;
  }

  @Override
  public void close() {
    endHang();
    for (Tools each : tools.values()) {
      each.links.close();
      each.filters.close();
    }
  }

  /** Which rail is meant from here on, and the number of the cut, from 0. */
  void aim(int number) {
    List<RailPlan> rails = scene.hosts().rails();
    cut = number;
    rail = rails.get(number % rails.size());
    marks.clear();
  }

  /** When something failed within the cut, {@link System#nanoTime()}. */
  List<Long> marks() {
    return List.copyOf(marks);
  }

  private String sender() {
    return scene.hosts().a();
  }

  private String receiver() {
    return scene.hosts().b();
  }

  private void mark() {
    marks.add(System.nanoTime());
  }

  private void link(String host, RailPlan rail, String words) {
    links(host).run("link set dev " + rail.device() + ' ' + words);
  }

  void senderLink(String state) {
    markIfDown(state);
    link(sender(), rail, state);
  }

  void receiverLink(String state) {
    markIfDown(state);
    link(receiver(), rail, state);
  }

  void allLinks(String state) {
    markIfDown(state);
    for (RailPlan each : scene.hosts().rails()) {
      link(sender(), each, state);
    }
  }

  private void markIfDown(String state) {
    if (state.equals("down")) {
      mark();
    }
  }

  /** Takes the cable out and puts it in again, at random every 50 to 500 ms, for a while. */
  void flap(long ns) {
    long end = System.nanoTime() + ns;
    while (System.nanoTime() < end) {
      senderLink("down");
      Scene.pass(random.nextLong(50_000_000, 500_000_000));
      senderLink("up");
      Scene.pass(random.nextLong(50_000_000, 500_000_000));
    }
  }

  /**
   * Rules for packets that come in on the rail at a host; below IP, so that no socket is told, and
   * for IP only, so that the neighbour's hardware address stays known.
   */
  private String hook(String hook, String... rules) {
    StringBuilder text = new StringBuilder("table netdev lab { chain " + hook + " { ");
    text.append("type filter hook ")
        .append(hook)
        .append(" device \"")
        .append(rail.device())
        .append("\" priority 0; ");
    for (String rule : rules) {
      text.append("meta protocol ip ").append(rule).append(" ; "); // "1:20;" would be one word
    }
    return text.append("}; }").toString();
  }

  void blackHole(boolean forward, boolean backward) {
    mark();
    commandFilters(forward, backward, hook("ingress", "drop"));
  }

  void endBlackHole(boolean forward, boolean backward) {
    commandFilters(forward, backward, CLEAR);
  }

  /** A command for the filters of the receiver, or the sender, or both at once. */
  private void commandFilters(boolean receivers, boolean senders, String command) {
    List<Console> told = new ArrayList<>();
    if (receivers) {
      told.add(filters(receiver()));
    }
    if (senders) {
      told.add(filters(sender()));
    }
    told.forEach(each -> each.send(command));
    told.forEach(Console::await);
  }

  /**
   * Filters what comes to the receiver.
   *
   * @param single whether the sender's batches are taken apart before, so that the rules see single
   *     datagrams
   */
  void filter(boolean single, String... rules) {
    if (single) {
      link(sender(), rail, "gso_max_segs 1");
    }
    mark();
    filters(receiver()).run(hook("ingress", rules));
  }

  void endFilter(boolean single) {
    filters(receiver()).run(CLEAR);
    if (single) {
      link(sender(), rail, "gso_max_segs 65535");
    }
  }

  /** One of these, by turns. */
  int turn(int... values) {
    return values[cut / scene.hosts().rails().size() % values.length];
  }

  void repeat(int percent) {
    link(sender(), rail, "gso_max_segs 1");
    mark();
    String rule = "numgen random mod 100 < " + percent + " dup to \"" + rail.device() + '"';
    filters(sender()).run(hook("egress", rule));
  }

  void endRepeat() {
    filters(sender()).run(CLEAR);
    link(sender(), rail, "gso_max_segs 65535");
  }

  /** A random tenth of the datagrams has to take a slow way through the queue. */
  void reorder() {
    mark();
    link(sender(), rail, "gso_max_segs 1");
    String device = rail.device();
    String host = sender();
    tc(host, "qdisc", "replace", "dev", device, "root", "handle", "1:", "htb", "default", "10");
    tc(
        host,
        "class",
        "add",
        "dev",
        device,
        "parent",
        "1:",
        "classid",
        "1:1",
        "htb",
        "rate",
        rail.rate(),
        "burst",
        "128k");
    tc(
        host,
        "class",
        "add",
        "dev",
        device,
        "parent",
        "1:1",
        "classid",
        "1:10",
        "htb",
        "rate",
        kbits(rail.bitsPerSecond() * 9 / 10),
        "ceil",
        rail.rate(),
        "burst",
        "128k");
    tc(
        host,
        "class",
        "add",
        "dev",
        device,
        "parent",
        "1:1",
        "classid",
        "1:20",
        "htb",
        "rate",
        kbits(rail.bitsPerSecond() / 20),
        "ceil",
        kbits(rail.bitsPerSecond() / 10));
    filters(host).run(hook("egress", "numgen random mod 100 < 10 meta priority set 1:20"));
  }

  void endReorder() {
    filters(sender()).run(CLEAR);
    tc(sender(), "qdisc", "delete", "dev", rail.device(), "root");
    scene.hosts().setRate(rail, rail.rate());
    link(sender(), rail, "gso_max_segs 65535");
  }

  private static void tc(String host, String... words) {
    List<String> command = new ArrayList<>(List.of("tc", "-n", host));
    command.addAll(List.of(words));
    String unused = Shell.run(command.toArray(String[]::new));
  }

  private static String kbits(long bitsPerSecond) {
    return Math.max(1, bitsPerSecond / 1_000) + "kbit";
  }

  /** The rail carries a tenth. */
  void collapse() {
    mark();
    scene.hosts().setRate(rail, kbits(rail.bitsPerSecond() / 10));
  }

  void endCollapse() {
    scene.hosts().setRate(rail, rail.rate());
  }

  void shrinkMtu(int bytes) {
    mark();
    mtu(bytes);
  }

  /** At the sender and at the receiver by turns. */
  void mtu(int bytes) {
    link(turn(0, 1) == 0 ? sender() : receiver(), rail, "mtu " + bytes);
  }

  void address(boolean ofSender, String verb) {
    if (verb.equals("del")) {
      mark();
    }
    String address = (ofSender ? rail.here() : rail.there()) + "/24";
    links(ofSender ? sender() : receiver())
        .run("addr " + verb + ' ' + address + " dev " + rail.device());
  }

  /**
   * The thread that uses the rail's interface for one side stands still, as in a driver that hangs.
   */
  void hang(boolean ofSender) {
    String address = (ofSender ? rail.here() : rail.there()) + ":" + Scene.PORT;
    stopped = StoppedThread.stop(process(ofSender).pid(), address);
    mark();
  }

  void endHang() {
    StoppedThread thread = stopped;
    stopped = null;
    if (thread != null) {
      thread.close();
    }
  }

  private LabProcess process(boolean ofSender) {
    return ofSender ? scene.sender() : scene.receiver();
  }

  void signal(boolean toSender, String signal) {
    if (signal.equals("STOP")) {
      mark();
    }
    process(toSender).signal(signal);
  }

  void ballast(boolean ofSender) {
    var unused = process(ofSender).ask("ballast");
  }

  /** A full collection over the ballast; returns when it is over. */
  void collect(boolean ofSender) {
    mark();
    var unused = process(ofSender).ask("gc");
  }
}
