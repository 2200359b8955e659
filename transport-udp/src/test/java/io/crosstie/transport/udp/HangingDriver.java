// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 The Crosstie authors
package io.crosstie.transport.udp;

import io.crosstie.transport.Counters;
import io.crosstie.transport.Poller;
import io.crosstie.transport.PortContext;
import io.crosstie.transport.PortCounter;
import io.crosstie.transport.PortHandler;
import io.crosstie.transport.Rail;
import io.crosstie.transport.RailAddress;
import io.crosstie.transport.RailAttributes;
import io.crosstie.transport.RailDriver;
import io.crosstie.transport.RailException;
import io.crosstie.transport.RailPort;
import io.crosstie.transport.RailUri;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** The Linux driver, which hangs in the middle of receiving when it is told to. */
final class HangingDriver implements RailDriver {
  private final RailDriver driver = new LinuxUdpDriver();

  /** While there is one, whoever receives hangs until it is opened. */
  volatile @Nullable CountDownLatch gate;

  /** Threads that hung and came back. */
  final CountDownLatch closed = new CountDownLatch(1);

  @Override
  public String scheme() {
    return driver.scheme();
  }

  @Override
  public String name() {
    return driver.name();
  }

  @Override
  public int priority() {
    return driver.priority();
  }

  @Override
  public @Nullable String whyUnavailable() {
    return driver.whyUnavailable();
  }

  @Override
  public boolean severable() {
    return true;
  }

  @Override
  public RailPort open(RailUri uri, PortContext context, PortHandler handler) throws RailException {
    return new Port(driver.open(uri, context, handler));
  }

  private final class Port implements RailPort {
    private final RailPort port;

    Port(RailPort port) {
      this.port = port;
    }

    @Override
    public int poll(long nowNs, int limit) {
      CountDownLatch here = gate;
      if (here == null) {
        return port.poll(nowNs, limit);
      }
      try {
        here.await();
        return port.poll(nowNs, limit);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }

    @Override
    public void close() {
      port.close();
      if (gate != null) {
        closed.countDown();
      }
    }

    @Override
    public RailAttributes attributes() {
      return port.attributes();
    }

    @Override
    public RailAddress localAddress() {
      return port.localAddress();
    }

    @Override
    public @Nullable String whyUnreachable(RailAddress remote) {
      return port.whyUnreachable(remote);
    }

    @Override
    public Rail connect(RailAddress remote) throws RailException {
      return port.connect(remote);
    }

    @Override
    public Rail accept() throws RailException {
      return port.accept();
    }

    @Override
    public RailAddress sourceAddress() {
      return port.sourceAddress();
    }

    @Override
    public void reply(MemorySegment packet, long offset, int length) {
      port.reply(packet, offset, length);
    }

    @Override
    public boolean attach(Poller poller) {
      return port.attach(poller);
    }

    @Override
    public boolean prepareToBlock() {
      return port.prepareToBlock();
    }

    @Override
    public void afterBlock() {
      port.afterBlock();
    }

    @Override
    public Counters<PortCounter> counters() {
      return port.counters();
    }

    @Override
    public void sever() {
      port.sever();
    }
  }
}
