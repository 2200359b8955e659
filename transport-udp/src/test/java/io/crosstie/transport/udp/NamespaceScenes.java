// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.Poller;
import io.crosstie.transport.Pollers;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.Station;
import io.crosstie.transport.linux.Libc;
import java.net.InetAddress;
import java.util.function.BooleanSupplier;

/** The other process of {@link NamespaceTest}. Ends with 0 if all is well. */
final class NamespaceScenes {
  private static final long FOR_EVER_NS = 3_600_000_000_000L;
  private static final long PATIENCE_NS = 60_000_000_000L;

  private final String driverName;
  private final Station station = new Station();

  private NamespaceScenes(String driverName) {
    this.driverName = driverName;
  }

  public static void main(String[] args) throws Exception {
    NamespaceScenes scenes = new NamespaceScenes(args[1]);
    switch (args[0]) {
      case "loopbackDown" -> scenes.loopbackDown();
      case "full" -> scenes.full();
      case "linkDown" -> scenes.linkDown();
      case "carrierGone" -> scenes.told("ip link set r2 down");
      case "addressGone" -> scenes.told("ip addr del 198.18.1.1/24 dev r1");
      case "carrierSettles" -> carrierSettles();
      case "watchReplaced" -> watchReplaced();
      case "tooBig" -> scenes.tooBig();
      default -> throw new IllegalArgumentException(args[0]);
    }
    System.exit(0); // Netty leaves threads of its own
  }

  private RailPort open(String options) throws Exception {
    RailDriver driver = driverName.equals("linux") ? new LinuxUdpDriver() : new NettyUdpDriver();
    return driver.open(
        RailUri.parse("udp://198.18.1.1:7400" + options), new PortContext("a", 1, 1), station);
  }

  private static void check(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  private static void shell(String command) throws Exception {
    int status = new ProcessBuilder("sh", "-c", command).inheritIO().start().waitFor();
    check(status == 0, command);
  }

  @SuppressWarnings("ThreadPriorityCheck") // a hint only
  private static void until(RailPort port, BooleanSupplier condition, String what) {
    long beganNs = System.nanoTime();
    while (System.nanoTime() - beganNs < PATIENCE_NS) {
      int unused = port.poll(System.nanoTime(), 64);
      if (condition.getAsBoolean()) {
        return;
      }
      Thread.yield();
    }
    throw new AssertionError(what);
  }

  private static boolean send(Rail rail, int length) {
    if (rail.claim(length) < 0) {
      return false;
    }
    rail.commit(length);
    rail.flush();
    return true;
  }

  /**
   * Nothing can be sent to one's own address: the offload cannot be shown, and must not stop
   * anything.
   */
  private void loopbackDown() throws Exception {
    try (RailPort port = open("")) {
      check(port.counters().get(PortCounter.GSO_ACTIVE) == 1, "segmentation without proof");
      Rail rail = port.connect(new RailAddress("udp://198.18.1.2:7400"));
      check(rail.maxPacketLength() == 1472, "MTU of the interface");
      for (int i = 0; i < 10; i++) {
        check(send(rail, 1200), "claim");
      }
      check(rail.isOpen(), "open");
    }
  }

  private void full() throws Exception {
    shell("echo 100 > /proc/sys/net/ipv4/neigh/r1/mcast_solicit");
    shell("echo 8388608 > /proc/sys/net/ipv4/neigh/r1/unres_qlen_bytes");
    try (RailPort port = open("?sndbuf=64k&gso=off");
        Poller poller = Pollers.create()) {
      check(port.attach(poller), "attach");
      Rail rail = port.connect(new RailAddress("udp://198.18.1.2:7400"));
      until(port, () -> !send(rail, 1400), "the socket never filled");
      check(port.counters().get(PortCounter.CLAIMS_REFUSED) > 0, "counted");
      check(rail.isOpen(), "open");
      int events = station.events.size();
      check(events == 0, "a full socket is no event");
      check(port.prepareToBlock(), "it may block");
      check(!poller.await(0), "nothing to do while it is full");
      port.afterBlock();
      check(port.prepareToBlock(), "it may block");
      // packets that wait for the neighbour are dropped with the route to it, which empties the
      // buffer
      Thread helper =
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      shell("ip neigh replace 198.18.1.2 lladdr 02:00:00:00:00:02 dev r1");
                    } catch (Exception e) {
                      throw new AssertionError(e);
                    }
                  });
      check(poller.await(FOR_EVER_NS), "woken for writing");
      port.afterBlock();
      helper.join();
      until(port, () -> send(rail, 1400), "it takes packets again");
    }
  }

  /** The kernel's word is enough: nothing is sent, and nobody polls in between. */
  private void told(String command) throws Exception {
    try (RailPort port = open("");
        Poller poller = Pollers.create()) {
      Rail rail = port.connect(new RailAddress("udp://198.18.1.2:7400"));
      check(port.attach(poller), "attach");
      shell("ip link add r9 type veth peer name r8 && ip link del r9"); // of no concern
      shell("ip addr add 198.18.9.1/24 dev r1 && ip addr del 198.18.9.1/24 dev r1");
      int unused = port.poll(System.nanoTime(), 64);
      check(!station.heard(LinkEvent.UNREACHABLE), "news of other links");
      shell(command);
      // the kernel tells of other links, too, and of a carrier only after a while
      while (!station.heard(LinkEvent.UNREACHABLE)) {
        check(!port.prepareToBlock() || poller.await(PATIENCE_NS), "news of the link");
        port.afterBlock();
        unused = port.poll(System.nanoTime(), 64);
      }
      check(rail.equals(station.events.getLast().rail()), "the rail concerned");
      check(rail.isOpen(), "an unreachable peer closes nothing");
    }
  }

  /** What left at once would make the kernel ask a neighbour who may not be there yet. */
  private static void carrierSettles() throws Exception {
    LinkWatch watch = LinkWatch.of(new Libc(), InetAddress.ofLiteral("198.18.1.1"));
    check(watch != null && !watch.check() && !watch.isSettling(), "an idle link");
    shell("ip link set r1 down");
    check(watch.check(), "news of the link");
    check(!watch.isSettling(), "without a carrier there may be a way all the same");
    long beforeNs = System.nanoTime();
    shell("ip link set r1 up");
    while (!watch.isSettling(beforeNs)) {
      boolean unused = watch.check();
      check(System.nanoTime() - beforeNs < 60_000_000_000L, "it is left alone");
    }
    check(!watch.isSettling(System.nanoTime() + LinkWatch.SETTLE_NS), "but not for long");
    check(!watch.isSettling(beforeNs), "nor again");
    watch.close();
  }

  /** Somebody puts another file under the number of the watch's descriptor. */
  private static void watchReplaced() throws Exception {
    LinkWatch watch = LinkWatch.of(new Libc(), InetAddress.ofLiteral("198.18.1.1"));
    check(watch != null && watch.isOurs(), "a watch");
    int fd = watch.fd();
    Descriptors.dup2(0, fd);
    check(!watch.isOurs(), "the file is another");
    watch.close();
    check(Descriptors.isOpen(fd), "the other file is left alone");
  }

  private void linkDown() throws Exception {
    try (RailPort port = open("")) {
      Rail rail = port.connect(new RailAddress("udp://198.18.1.2:7400"));
      check(send(rail, 1000), "claim");
      shell("ip link set r1 down");
      until(
          port,
          () -> {
            boolean unused = send(rail, 1000);
            return station.heard(LinkEvent.UNREACHABLE)
                && port.counters().get(PortCounter.DROPPED_OUT) > 0;
          },
          "news of the link");
      check(rail.isOpen(), "an unreachable peer closes nothing");
      check(rail.equals(station.events.getLast().rail()), "the rail concerned");
      shell("ip link set r1 up");
      until(port, () -> port.poll(System.nanoTime(), 1) == 0, "an end of the news");
      int before = station.events.size();
      long sent = port.counters().get(PortCounter.PACKETS_OUT);
      until(
          port,
          () -> {
            boolean unused = send(rail, 1000);
            return port.counters().get(PortCounter.PACKETS_OUT) > sent;
          },
          "packets sent after the return");
      check(station.events.size() == before, "no news after the return");
    }
  }

  private void tooBig() throws Exception {
    shell("ip link set r1 mtu 1300");
    try (RailPort port = open("?mtu=9000")) {
      Rail rail = port.connect(new RailAddress("udp://198.18.1.2:7400"));
      check(rail.maxPacketLength() == 8972, "as told");
      check(send(rail, 8000), "claim");
      until(port, () -> station.heard(LinkEvent.TOO_BIG), "one packet too big");
      check(rail.equals(station.events.getLast().rail()), "the rail concerned");
      station.events.clear();
      // many of them in one segmented batch: the offload is not to blame
      for (int i = 0; i < 5; i++) {
        check(rail.claim(1400) >= 0, "claim");
        rail.commit(1400);
      }
      rail.flush();
      until(port, () -> station.heard(LinkEvent.TOO_BIG), "a batch too big");
      check(port.counters().get(PortCounter.OFFLOAD_FALLBACKS) == 0, "the offload stays");
      long dropped = port.counters().get(PortCounter.DROPPED_OUT);
      check(dropped == 6, "dropped " + dropped);
      check(send(rail, 1200), "claim");
      check(port.counters().get(PortCounter.DROPPED_OUT) == 6, "what fits goes out");
      check(rail.isOpen(), "open");
    }
  }
}
