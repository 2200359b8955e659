// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.benchmarks.link;

import io.crosstie.messaging.Progress;
import java.util.List;

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

  /** Crosstie with those rails. */
  public static LinkFactory crosstie(List<String> rails, Progress progress, boolean checksum) {
    return spec -> new CrosstieLink(spec, rails, progress, checksum);
  }

  /** Aeron over UDP. */
  public static LinkFactory aeronUdp(int mtu) {
    return spec -> AeronLink.udp(spec, mtu);
  }

  /** Aeron over shared memory. */
  public static LinkFactory aeronIpc(int termBytes) {
    return spec -> AeronLink.ipc(spec, termBytes);
  }
}
