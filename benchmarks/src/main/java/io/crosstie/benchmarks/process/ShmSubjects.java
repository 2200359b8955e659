// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.process;

import io.crosstie.benchmarks.link.LinkFactory;
import io.crosstie.benchmarks.link.Links;
import io.crosstie.messaging.Idle;
import io.crosstie.messaging.Progress;
import java.util.List;

/** Everybody who can be measured between processes of one host. */
final class ShmSubjects {
  private static final int MIB = 1 << 20;
  private static final String SHM = "shm:";
  private static final String IDLE_UDP = "udp://127.0.0.1:0";

  /** How the rail's users choose the way of large messages, if it lets them. */
  private static final String RING = "shm:?copy=ring";

  private static final String SINGLE_COPY = "shm:?copy=cma";

  static final List<Subject> ALL =
      List.of(
          bare("bare", "none", Links.slot(false)),
          bare("bare-crc", "length, sequence, CRC-32C", Links.slot(true)),
          crosstie("crosstie", true, Idle.spin(), SHM),
          crosstie("crosstie-java", true, false, Idle.spin(), SHM),
          crosstie("crosstie-nocrc", false, Idle.spin(), SHM),
          ifOffered(crosstie("crosstie-ring", true, Idle.spin(), RING), RING),
          ifOffered(crosstie("crosstie-ring-java", true, false, Idle.spin(), RING), RING),
          ifOffered(crosstie("crosstie-ring-nocrc", false, Idle.spin(), RING), RING),
          ifOffered(crosstie("crosstie-cma", true, Idle.spin(), SINGLE_COPY), SINGLE_COPY),
          ifOffered(crosstie("crosstie-cma-nocrc", false, Idle.spin(), SINGLE_COPY), SINGLE_COPY),
          crosstie("crosstie-udp2", true, Idle.spin(), SHM, IDLE_UDP, IDLE_UDP).also(Bench.LOSS),
          crosstie("crosstie-block", true, Idle.block(), SHM),
          crosstie("crosstie-adaptive", true, Idle.adaptive(), SHM),
          crosstie("crosstie-thread", true, true, Progress.thread(), SHM),
          crosstie("crosstie-shared", true, true, Progress.shared(), SHM),
          crosstie("crosstie-shared-spin", true, true, Progress.shared(Idle.spin()), SHM),
          UdpSubjects.copied("crosstie-copied", SHM),
          UdpSubjects.put("crosstie-put", Progress.caller(Idle.spin()), SHM),
          UdpSubjects.put("crosstie-put-thread", Progress.thread(), SHM),
          UdpSubjects.put("crosstie-put-shared", Progress.shared(), SHM),
          aeron("aeron", 64 * MIB, false),
          aeron("aeron-8m", 8 * MIB, false),
          aeron("aeron-1m", MIB, false),
          aeron("aeron-crc", 64 * MIB, true),
          uds(),
          UdpSubjects.tcp(),
          NativePeer.openMpi("openmpi", "vader", "self,vader"),
          NativePeer.ucx("ucx", "shared memory", "shm,self"));

  private ShmSubjects() {}

  private static Subject bare(String name, String guarantees, LinkFactory links) {
    return Subject.jvm(
        name,
        Subject.Kind.BARE,
        true,
        new Subject.Facts(
            guarantees, "1 out, 1 in", "1", "16 KiB", "ring of slots, commit word inline"),
        UdpSubjects.ALL_BENCHES,
        UdpSubjects.MAX_SIZE,
        links);
  }

  private static Subject crosstie(String name, boolean checksum, Idle idle, String... rails) {
    return crosstie(name, checksum, true, idle, rails);
  }

  private static Subject crosstie(
      String name, boolean checksum, boolean accelerator, Idle idle, String... rails) {
    return crosstie(name, checksum, accelerator, Progress.caller(idle), rails);
  }

  private static Subject crosstie(
      String name, boolean checksum, boolean accelerator, Progress progress, String... rails) {
    return Subject.jvm(
        name,
        Subject.Kind.OURS,
        true,
        new Subject.Facts(
            checksum ? UdpSubjects.EXACTLY_ONCE : UdpSubjects.NO_CRC,
            "2 out (1 from 64 KiB on), 1 in",
            "1, " + progress,
            "as the rail likes",
            "defaults, " + (accelerator ? "" : "no accelerator, ") + String.join(" ", rails)),
        UdpSubjects.ALL_BENCHES,
        UdpSubjects.MAX_SIZE,
        Links.crosstie(List.of(rails), progress, UdpSubjects.checksum(checksum), accelerator));
  }

  private static Subject ifOffered(Subject subject, String rail) {
    return subject.unless(() -> Links.whyNoRail(rail));
  }

  private static Subject aeron(String name, int termBytes, boolean checks) {
    return Subject.jvm(
        name,
        Subject.Kind.PEER,
        true,
        new Subject.Facts(
            "ordered, exactly once" + (checks ? ", CRC-32C in the reserved value" : ""),
            "1 out, 0 in (1 if assembled)",
            "1, driver invoked by the receiver",
            "65504 B",
            "IPC, terms of " + Text.size(termBytes) + " or 8 messages, exclusive publication"),
        UdpSubjects.ALL_BENCHES,
        UdpSubjects.MAX_AERON,
        Links.aeronIpc(termBytes, checks));
  }

  private static Subject uds() {
    return Subject.jvm(
        "uds",
        Subject.Kind.PEER,
        true,
        new Subject.Facts(
            "ordered byte stream", "0", "1", "as the kernel likes", "java.nio, spinning"),
        UdpSubjects.ALL_BENCHES,
        UdpSubjects.MAX_SIZE,
        Links.unix());
  }
}
