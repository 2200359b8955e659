// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.CrosstieException;
import io.crosstie.messaging.Node;
import io.crosstie.messaging.NodeConfig;
import io.crosstie.messaging.Progress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How to open one end of each kind of subject. */
public final class Links {
  private Links() {}

  /** Connected sockets and nothing else. */
  public static LinkFactory bareUdp(int datagramBytes, boolean offload) {
    return spec -> new BareUdpLink(spec, datagramBytes, offload);
  }

  /** The same with one copy and one CRC-32C on each side. */
  public static LinkFactory copyCrcUdp(int datagramBytes) {
    return spec -> new CopyCrcUdpLink(spec, datagramBytes);
  }

  /**
   * Crosstie with those rails.
   *
   * @param checksum name of the payload's checksum
   * @param accelerator whether its nodes use the machine code of an accelerator that is there
   */
  public static LinkFactory crosstie(
      List<String> rails, Progress progress, String checksum, boolean accelerator) {
    return spec -> new CrosstieLink(spec, rails, progress, checksum, accelerator);
  }

  /** The same, whose reader copies each message to a place of its own. */
  public static LinkFactory copying(LinkFactory links) {
    return spec -> new CopyingLink(spec, links.open(spec));
  }

  /** Crosstie by puts with notifications; the rest as {@link #crosstie}. */
  public static LinkFactory puts(
      List<String> rails, Progress progress, String checksum, boolean accelerator) {
    return spec -> new PutLink(spec, rails, progress, checksum, accelerator);
  }

  /** Why a node cannot have that rail here, null if it can. */
  public static @Nullable String whyNoRail(String rail) {
    try {
      Node.start(NodeConfig.builder().name("probe").rail(rail).progress(Progress.caller()).build())
          .close();
      return null;
    } catch (CrosstieException e) {
      return e.getMessage();
    }
  }

  /** One ring of slots each way in shared memory, and nothing else. */
  public static LinkFactory slot(boolean checks) {
    return spec -> new SlotLink(spec, checks);
  }

  /** A Unix-domain socket. */
  public static LinkFactory unix() {
    return UnixLink::new;
  }

  /** Netty's datagrams. */
  public static LinkFactory nettyUdp(boolean epoll, boolean blocks) {
    return spec -> new NettyUdpLink(spec, epoll, blocks);
  }

  /** Netty's TCP. */
  public static LinkFactory nettyTcp() {
    return NettyTcpLink::new;
  }

  /** JeroMQ. */
  public static LinkFactory jeroMq() {
    return JeroMqLink::new;
  }

  /** Crosstie with so many connections of one node. */
  public static LinkFactory manyPeers(int connections, String rail) {
    return spec -> new ManyPeersLink(spec, connections, rail);
  }

  /** Aeron over UDP. */
  public static LinkFactory aeronUdp(int mtu) {
    return spec -> AeronLink.udp(spec, mtu);
  }

  /** Aeron over shared memory; with {@code checks} both ends sum every fragment. */
  public static LinkFactory aeronIpc(int termBytes, boolean checks) {
    return spec -> AeronLink.ipc(spec, termBytes, checks);
  }
}
