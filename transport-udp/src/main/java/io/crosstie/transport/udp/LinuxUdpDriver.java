// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.linux.Libc;
import org.jspecify.annotations.Nullable;

/** UDP by Linux system calls, with segmentation and receive offload where they work. */
public final class LinuxUdpDriver implements RailDriver {
  static final String NAME = "linux";

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
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    return new LinuxUdpPort(UdpConfig.of(uri, NAME), context, handler, new Libc());
  }
}
