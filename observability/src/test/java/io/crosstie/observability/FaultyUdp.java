// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.observability;

import io.crosstie.transport.LinkEvent;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import io.crosstie.transport.udp.LinuxUdpDriver;
import io.crosstie.transport.udp.NettyUdpDriver;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * UDP whose ports can be made to fail: what arrives can be lost or damaged, the port closed. Found
 * as a service, like every driver.
 */
public final class FaultyUdp implements RailDriver {
  static final String RAIL = "udp://127.0.0.1:0?driver=faulty";

  /** Stands between a port and the node, and does what the test says. */
  static final class Faults implements PortHandler {
    private final PortHandler to;
    boolean lose;
    boolean damageNext;
    boolean closeNext;

    Faults(PortHandler to) {
      this.to = to;
    }

    @Override
    public void onPacket(
        RailPort port, MemorySegment memory, long offset, int length, long source) {
      if (closeNext) {
        closeNext = false;
        to.onLinkEvent(port, null, LinkEvent.CLOSED, 0);
      } else if (lose) {
        return;
      } else if (damageNext && length >= 1000) { // one that ends in payload
        damageNext = false;
        byte[] bytes = memory.asSlice(offset, length).toArray(ValueLayout.JAVA_BYTE);
        bytes[length - 1] ^= 1;
        to.onPacket(port, MemorySegment.ofArray(bytes), 0, length, source);
      } else {
        to.onPacket(port, memory, offset, length, source);
      }
    }

    @Override
    public void onLinkEvent(RailPort port, @Nullable Rail rail, LinkEvent event, int errno) {
      to.onLinkEvent(port, rail, event, errno);
    }
  }

  /** Of all ports, in the order in which they were opened; whoever opens some empties it first. */
  static final List<Faults> FAULTS = new CopyOnWriteArrayList<>();

  private final RailDriver udp;

  /** For the {@link java.util.ServiceLoader}. */
  public FaultyUdp() {
    RailDriver linux = new LinuxUdpDriver();
    this.udp = linux.whyUnavailable() == null ? linux : new NettyUdpDriver();
  }

  @Override
  public String scheme() {
    return "udp";
  }

  @Override
  public String name() {
    return "faulty";
  }

  @Override
  public int priority() {
    return -1;
  }

  @Override
  public @Nullable String whyUnavailable() {
    return null;
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    Faults between = new Faults(handler);
    RailPort port = udp.open(RailUri.parse("udp:" + uri.rest()), context, between);
    FAULTS.add(between);
    return port;
  }
}
