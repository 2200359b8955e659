// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import static io.crosstie.benchmarks.process.Bench.ALLOC;
import static io.crosstie.benchmarks.process.Bench.BIDI;
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
import java.util.stream.Collectors;

/** Everybody who can be measured. */
final class Subjects {
  /** Bytes of a datagram's payload that stand for Ethernet, as Aeron's default does. */
  private static final int SMALL = 1408;

  /** The largest that Aeron takes, and that both loopback and UDP carry. */
  private static final int LARGE = 65_504;

  private static final int IP_AND_UDP = 28;
  private static final long MAX_SIZE = 64L << 20;

  /** A bare round trip has no flow control: it must fit the socket's buffer with its overhead. */
  private static final Set<Bench> ALL = EnumSet.allOf(Bench.class);

  private static final Set<Bench> BARE = EnumSet.of(RTT, STREAM, BIDI, RATE, SEND, OPENLOOP);
  private static final Set<Bench> PEER = EnumSet.of(RTT, STREAM, BIDI, RATE, SEND, OPENLOOP, ALLOC);

  private static final String EXACTLY_ONCE = "ordered, exactly once, CRC-32C, rail failover";
  private static final String NO_CRC = "ordered, exactly once, rail failover";

  private static final List<Subject> UDP =
      List.of(
          bare("bare", SMALL, "none", Links.bareUdp(SMALL, false), BARE),
          bare("bare-gso", SMALL, "GSO, GRO", Links.bareUdp(SMALL, true), BARE),
          bareCopyCrc("bare-gso-copy-crc", SMALL, "GSO, GRO"),
          bareCopyCrc("bare-64k-copy-crc", LARGE, "none"),
          udp("crosstie-linux", "linux", SMALL, true, Progress.caller(Idle.spin())),
          udp("crosstie-linux-nocrc", "linux", SMALL, false, Progress.caller(Idle.spin())),
          udp("crosstie-linux-64k", "linux", LARGE, true, Progress.caller(Idle.spin())),
          udp("crosstie-linux-64k-nocrc", "linux", LARGE, false, Progress.caller(Idle.spin())),
          udp("crosstie-netty", "netty", SMALL, true, Progress.caller(Idle.spin())),
          udp("crosstie-netty-nocrc", "netty", SMALL, false, Progress.caller(Idle.spin())),
          aeronUdp("aeron", SMALL),
          aeronUdp("aeron-64k", LARGE));

  private Subjects() {}

  private static Subject bare(
      String name, int datagram, String offloads, LinkFactory links, Set<Bench> benches) {
    return new Subject(
        name,
        false,
        true,
        false,
        "none",
        "0",
        "1",
        datagram + " B",
        offloads,
        benches,
        MAX_SIZE,
        links);
  }

  private static Subject bareCopyCrc(String name, int datagram, String offloads) {
    return new Subject(
        name,
        false,
        true,
        false,
        "CRC-32C only",
        "1",
        "1",
        datagram + " B",
        offloads,
        BARE,
        MAX_SIZE,
        Links.copyCrcUdp(datagram));
  }

  private static Subject udp(
      String name, String driver, int datagram, boolean checksum, Progress progress) {
    String rail =
        "udp://127.0.0.1:0?driver=" + driver + "&mtu=" + Math.min(65_535, datagram + IP_AND_UDP);
    return new Subject(
        name,
        true,
        false,
        true,
        checksum ? EXACTLY_ONCE : NO_CRC,
        "2 (1 if above 64 KiB) out, 1 in",
        "1, " + progress,
        datagram + " B",
        driver.equals("linux") ? "GSO, GRO by self-test" : "as Netty finds them",
        ALL,
        MAX_SIZE,
        Links.crosstie(List.of(rail), progress, checksum));
  }

  private static Subject aeronUdp(String name, int mtu) {
    return new Subject(
        name,
        false,
        false,
        true,
        "ordered, exactly once",
        "1 out, 1 in (2 if assembled)",
        "1, driver invoked",
        mtu + " B",
        "none; window and buffers 4 MiB",
        PEER,
        16 << 20,
        Links.aeronUdp(mtu));
  }

  /** All for a rail. */
  static List<Subject> of(Rail rail) {
    return switch (rail) {
      case UDP -> UDP;
      case SHM -> List.of();
    };
  }

  /** The subject of that name, on any rail. */
  static Subject named(Rail rail, String name) {
    return of(rail).stream()
        .filter(subject -> subject.name().equals(name))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "no subject is called "
                        + name
                        + "; there are "
                        + of(rail).stream().map(Subject::name).collect(Collectors.joining(", "))));
  }
}
