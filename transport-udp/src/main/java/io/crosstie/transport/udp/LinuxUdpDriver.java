// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.linux.Libc;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** UDP by Linux system calls, with segmentation and receive offload where they work. */
public final class LinuxUdpDriver implements RailDriver {
  static final String NAME = "linux";

  private static final int MAX_RESULTS = 256;

  /**
   * What a rail's first opening has shown that this kernel can do: opening it again is to be quick.
   * What it could not do then, say for want of a descriptor, is tried again.
   */
  private final Map<RailUri, OffloadProbe.Result> offloads = new ConcurrentHashMap<>();

  /** For the service loader. */
  public LinuxUdpDriver() {}

  @Override
  public String scheme() {
    return UdpAddress.SCHEME;
  }

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public int priority() {
    return 100;
  }

  @Override
  public @Nullable String whyUnavailable() {
    return Libc.whyUnavailable();
  }

  @Override
  public boolean severable() {
    return true;
  }

  @Override
  public boolean namesHost(RailAddress address) {
    return UdpAddress.namesHost(address);
  }

  @Override
  public void checkDestination(RailAddress address) {
    UdpAddress.checkDestination(address);
  }

  @Override
  public List<RailAddress> lookUp(RailAddress address) throws RailException {
    return UdpAddress.lookUp(address);
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    UdpConfig config = UdpConfig.of(uri, NAME);
    Libc libc = new Libc();
    OffloadProbe.Result result = offloads.get(config.uri());
    if (result == null) {
      result = OffloadProbe.run(libc, config);
      if (result.gso() && offloads.size() < MAX_RESULTS) {
        offloads.put(config.uri(), result);
      }
    }
    return new LinuxUdpPort(config, context, handler, libc, result);
  }
}
