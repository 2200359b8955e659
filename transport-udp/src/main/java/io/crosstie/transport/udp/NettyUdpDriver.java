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
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * UDP by Netty: epoll where Netty's native library loads, else java.nio. Works on every platform,
 * and takes over where native access is denied.
 */
public final class NettyUdpDriver implements RailDriver {
  static final String NAME = "netty";

  private static final Logger LOG = System.getLogger(NettyUdpDriver.class.getName());
  private static final AtomicBoolean TOLD = new AtomicBoolean();
  private static final AtomicBoolean TOLD_OF_EPOLL = new AtomicBoolean();

  private final boolean epollAllowed;

  /** For the service loader. */
  public NettyUdpDriver() {
    this(true);
  }

  /** Without epoll, for tests of the portable way. */
  NettyUdpDriver(boolean epollAllowed) {
    this.epollAllowed = epollAllowed;
  }

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
    return 50;
  }

  @Override
  public @Nullable String whyUnavailable() {
    return null;
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
    String whySlow = Libc.whyUnavailable();
    if (whySlow != null && !uri.option("driver", "auto").equals(NAME) && !TOLD.getAndSet(true)) {
      LOG.log(Level.WARNING, "UDP rails take the portable, slower driver (netty): {0}", whySlow);
    }
    boolean epoll = epollAllowed && NettyEpollSocket.isAvailable();
    if (epollAllowed && !epoll && whySlow == null && !TOLD_OF_EPOLL.getAndSet(true)) {
      LOG.log(
          Level.INFO,
          "UDP rails of driver=netty go by java.nio, since Netty's native epoll is not there: add"
              + " io.netty:netty-transport-native-epoll of this machine's classifier, for example"
              + " linux-x86_64, or leave out driver=netty");
    }
    return new NettyUdpPort(
        config,
        context,
        handler,
        epoll ? NettyEpollSocket.open(config) : NettyNioSocket.open(config));
  }
}
