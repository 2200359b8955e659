// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static io.crosstie.benchmarks.process.Bench.ALLOC;
import static io.crosstie.benchmarks.process.Bench.BIDI;
import static io.crosstie.benchmarks.process.Bench.IDLE;
import static io.crosstie.benchmarks.process.Bench.OPENLOOP;
import static io.crosstie.benchmarks.process.Bench.RATE;
import static io.crosstie.benchmarks.process.Bench.RTT;
import static io.crosstie.benchmarks.process.Bench.SEND;
import static io.crosstie.benchmarks.process.Bench.STREAM;

import io.crosstie.benchmarks.link.LinkFactory;
import io.crosstie.benchmarks.link.Links;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.Progress;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Everybody who can be measured over loopback. */
final class UdpSubjects {
  static final String EXACTLY_ONCE = "ordered, exactly once, CRC-32C, rail failover";
  static final String NO_CRC = "ordered, exactly once, rail failover";
  static final long MAX_SIZE = 64L << 20;

  /** Aeron's own bound on a message. */
  static final long MAX_AERON = 16L << 20;

  /** All benches that have two ends of one thread each. */
  static final Set<Bench> ALL_BENCHES =
      EnumSet.of(RTT, STREAM, BIDI, RATE, SEND, OPENLOOP, ALLOC, IDLE);

  /** Those in which nothing has to be taken by flow control. */
  private static final Set<Bench> BARE_BENCHES =
      EnumSet.of(RTT, STREAM, BIDI, RATE, SEND, OPENLOOP, IDLE);

  private static final Set<Bench> ECHO = EnumSet.of(RTT, OPENLOOP);

  /** Bytes of a datagram's payload that stand for Ethernet, as Aeron's default does. */
  static final int SMALL = 1408;

  /** The largest that Aeron takes, and that both loopback and UDP carry. */
  private static final int LARGE = 65_504;

  private static final int IP_AND_UDP = 28;
  private static final int MAX_MTU = 65_535;
  private static final int MAX_NETTY = 65_000 / 8 * 8;

  static final List<Subject> ALL =
      List.of(
          bare("bare", "0", SMALL, "one datagram a call", Links.bareUdp(SMALL, false)),
          bare("bare-gso", "0", SMALL, "GSO, GRO", Links.bareUdp(SMALL, true)),
          bare("bare-gso-copy-crc", "1", SMALL, "GSO, GRO, CRC-32C", Links.copyCrcUdp(SMALL)),
          bare("bare-64k-copy-crc", "1", LARGE, "CRC-32C", Links.copyCrcUdp(LARGE)),
          crosstie("crosstie-linux", "linux", SMALL, true, Idle.spin()),
          javaAlone("crosstie-linux-java", SMALL),
          crosstie("crosstie-linux-nocrc", "linux", SMALL, false, Idle.spin()),
          crosstie("crosstie-linux-64k", "linux", LARGE, true, Idle.spin()),
          javaAlone("crosstie-linux-64k-java", LARGE),
          crosstie("crosstie-linux-64k-nocrc", "linux", LARGE, false, Idle.spin()),
          crosstie("crosstie-netty", "netty", SMALL, true, Idle.spin()),
          crosstie("crosstie-netty-nocrc", "netty", SMALL, false, Idle.spin()),
          crosstie("crosstie-netty-block", "netty", SMALL, true, Idle.block()),
          waiting("crosstie-linux-block", "linux", Progress.caller(Idle.block())),
          waiting("crosstie-linux-adaptive", "linux", Progress.caller()),
          defaults("crosstie-linux-thread", Progress.thread()),
          defaults("crosstie-linux-shared", Progress.shared()),
          defaults("crosstie-linux-shared-spin", Progress.shared(Idle.spin())),
          waiting("crosstie-linux-thread-block", "linux", Progress.thread(Idle.block())),
          waiting("crosstie-netty-thread", "netty", Progress.thread()),
          copied("crosstie-linux-copied", rail("linux", SMALL)),
          put("crosstie-linux-put", Progress.caller(Idle.spin()), rail("linux", SMALL)),
          put("crosstie-linux-put-thread", Progress.thread(), rail("linux", SMALL)),
          put("crosstie-linux-put-shared", Progress.shared(), rail("linux", SMALL)),
          manyPeers("crosstie-linux-1-peer", 1),
          manyPeers("crosstie-linux-1000-peers", 1000),
          aeron("aeron", SMALL),
          aeron("aeron-64k", LARGE),
          netty("netty", "NIO, spinning", Links.nettyUdp(false, false)),
          netty("netty-block", "epoll, blocking", Links.nettyUdp(true, true)),
          tcp(),
          jeromq(),
          NativePeer.openMpi("openmpi", "tcp over lo", "self,tcp"),
          NativePeer.ucx("ucx", "tcp over lo", "tcp,self"));

  private UdpSubjects() {}

  private static Subject bare(
      String name, String copies, int datagram, String settings, LinkFactory links) {
    return Subject.jvm(
        name,
        Subject.Kind.BARE,
        false,
        new Subject.Facts("none", copies, "1", datagram + " B", settings),
        BARE_BENCHES,
        MAX_SIZE,
        links);
  }

  /** The default one, or none. */
  static String checksum(boolean on) {
    return on ? "crc32c" : "none";
  }

  static String rail(String driver, int datagram) {
    int mtu = Math.min(MAX_MTU, datagram + IP_AND_UDP);
    return "udp://127.0.0.1:0?driver=" + driver + "&mtu=" + mtu;
  }

  /** For round trips and idle time of each way to wait. */
  private static Subject waiting(String name, String driver, Progress progress) {
    return crosstie(name, driver, SMALL, true, true, progress, EnumSet.of(RTT, IDLE));
  }

  /** As users get it, who do not spin. */
  private static Subject defaults(String name, Progress progress) {
    return crosstie(name, "linux", SMALL, true, true, progress, ALL_BENCHES);
  }

  /** For round trips over one of many connections, and what a connection takes. */
  private static Subject manyPeers(String name, int connections) {
    String rail = rail("linux", SMALL);
    return Subject.jvm(
        name,
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            EXACTLY_ONCE,
            "2 out, 1 in",
            "1, caller(spin)",
            SMALL + " B",
            connections + " connections of one node, peers in one other process"),
        EnumSet.of(RTT),
        MAX_NETTY,
        Links.manyPeers(connections, rail));
  }

  private static Subject crosstie(
      String name, String driver, int datagram, boolean checksum, Idle idle) {
    return crosstie(name, driver, datagram, checksum, true, Progress.caller(idle), ALL_BENCHES);
  }

  /** Messages, each of which the reader's handler copies to a place of its own. */
  static Subject copied(String name, String rail) {
    return Subject.jvm(
        name,
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            EXACTLY_ONCE, "1 out (2 below 64 KiB), 2 in", "1", "as the rail likes", rail),
        EnumSet.of(STREAM),
        MAX_SIZE,
        Links.copying(
            Links.crosstie(List.of(rail), Progress.caller(Idle.spin()), checksum(true), true)));
  }

  /** Puts into a region, each with a notification of 8 bytes. */
  static Subject put(String name, Progress progress, String rail) {
    return Subject.jvm(
        name,
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            "exactly once, CRC-32C, rail failover",
            "1 out, 1 in",
            "1, " + progress,
            "as the rail likes",
            rail),
        EnumSet.of(RTT, STREAM, RATE),
        MAX_SIZE,
        Links.puts(List.of(rail), progress, checksum(true), true));
  }

  /** Without the machine code of an accelerator. */
  private static Subject javaAlone(String name, int datagram) {
    return crosstie(
        name, "linux", datagram, true, false, Progress.caller(Idle.spin()), ALL_BENCHES);
  }

  private static Subject crosstie(
      String name,
      String driver,
      int datagram,
      boolean checksum,
      boolean accelerator,
      Progress progress,
      Set<Bench> benches) {
    String rail = rail(driver, datagram);
    return Subject.jvm(
        name,
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            checksum ? EXACTLY_ONCE : NO_CRC,
            "2 out (1 from 64 KiB on), 1 in",
            "1, " + progress,
            datagram + " B",
            "defaults, " + (accelerator ? "" : "no accelerator, ") + rail),
        benches,
        MAX_SIZE,
        Links.crosstie(List.of(rail), progress, checksum(checksum), accelerator));
  }

  private static Subject aeron(String name, int mtu) {
    return Subject.jvm(
        name,
        Subject.Kind.PEER,
        true,
        new Subject.Facts(
            "ordered, exactly once",
            "1 out, 1 in (2 if assembled)",
            "1, driver invoked",
            mtu + " B",
            "terms 16 MiB or 8 messages, window and buffers 4 MiB, exclusive publication"),
        ALL_BENCHES,
        MAX_AERON,
        Links.aeronUdp(mtu));
  }

  private static Subject netty(String name, String settings, LinkFactory links) {
    return Subject.jvm(
        name,
        Subject.Kind.PEER,
        false,
        new Subject.Facts("none", "0", "1", "64 KiB", settings),
        ECHO,
        MAX_NETTY,
        links);
  }

  static Subject tcp() {
    return Subject.jvm(
        "tcp",
        Subject.Kind.PEER,
        true,
        new Subject.Facts(
            "ordered byte stream, TCP's checksum",
            "0 (1 up to 4 KiB)",
            "1",
            "as TCP likes",
            "Netty epoll, spinning, TCP_NODELAY; small messages put together up to 64 KiB"),
        ALL_BENCHES,
        MAX_SIZE,
        Links.nettyTcp());
  }

  private static Subject jeromq() {
    return Subject.jvm(
        "jeromq",
        Subject.Kind.PEER,
        true,
        new Subject.Facts(
            "ordered messages over TCP", "1 out, 1 in", "2", "as TCP likes", "PAIR, 1 I/O thread"),
        ALL_BENCHES,
        MAX_SIZE,
        Links.jeroMq());
  }
}
